// SPDX-License-Identifier: Apache-2.0
// all_keys: takes all keys of pthread_key_create; a thread finds none of them set, and no destructor is called. A
// second thread sets one and is cancelled: its destructor is called.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST = 2048 };
static pthread_key_t keys[MOST];
static int count;

static void destroy(void *value)
{
    printf("destructor, value %s\n", value == keys ? "right" : "wrong");
}

static void *look(void *unused)
{
    for (int i = 0; i < count; i++)
        if (pthread_getspecific(keys[i]))
            printf("key %d is set\n", i);
    return unused;
}

static void *set_and_wait(void *unused)
{
    pthread_setspecific(keys[0], keys);
    pause();
    return unused;
}

int main(void)
{
    pthread_t thread;
    while (count < MOST && pthread_key_create(&keys[count], destroy) == 0)
        count++;
    printf("%d keys, the first is %u\n", count, keys[0]);
    if (pthread_create(&thread, NULL, look, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    if (pthread_create(&thread, NULL, set_and_wait, NULL) != 0 || pthread_cancel(thread) != 0)
        return 1;
    return pthread_join(thread, NULL);
}
