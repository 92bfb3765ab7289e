set -e
cat > main.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static void *run(void *given) { return given; }
int main(void) {
    pthread_t thread;
    void *answer = 0;
    if (pthread_create(&thread, 0, run, &answer) || pthread_join(thread, &answer)) return 1;
    int status = 1;
    if (fork() == 0) _exit(0);
    wait(&status);
    return status;
}
EOF
printf 'all: main\nmain: main.o\n\t$(CC) -pthread -o $@ $<\n' > Makefile
make -s -j4 CC=gcc CFLAGS='-O2 -pthread'
./main
