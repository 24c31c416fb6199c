// Signals as bytes in a pipe: a handler writes its number and does nothing else.
#pragma once

namespace sshape::posix {

// From now on `number` arrives in the pipe. Dispositions are not inherited by what we execute.
bool watch_signal(int number);

int signal_descriptor();  // readable: take_signal() has something; -1 before the first watch_signal()
int take_signal();        // 0: none waits

// SIGPIPE would end us in the middle of a write: EPIPE says the same.
void ignore_broken_pipes();

// Between fork and exec: every disposition and the mask as a program expects them.
void reset_signals();

}  // namespace sshape::posix
