// The programs of the one executable.
#pragma once

int server_main(int argc, char** argv);
int client_main(int argc, char** argv);
int keygen_main(int argc, char** argv);
