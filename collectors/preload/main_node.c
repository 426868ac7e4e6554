// SPDX-License-Identifier: Apache-2.0
// On which CPUs the main thread may run before there are other threads: those of one node.
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/preload/preload.h"

static int main_node_read(struct cpulist *cpus, unsigned int node)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/sys/devices/system/node/node%u/cpulist", node);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    const ssize_t length = read(fd, text, sizeof text);
    close(fd);
    if (length <= 0 || length == sizeof text)
        return -EINVAL;
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return cpulist_parse(cpus, text);
}

// The caller is bound to one CPU, so it stays on the node that the kernel names.
int preload_node_of_self(struct cpulist *cpus)
{
    const struct cpulist *whole = preload_process_mask();
    unsigned int cpu, node;
    if (syscall(SYS_getcpu, &cpu, &node, NULL) < 0)
        return -errno;
    const int status = main_node_read(cpus, node);
    if (status < 0)
        return status;
    if (!cpulist_has(cpus, (int)cpu))
        return -EINVAL; // an emulated or faulty machine
    for (size_t i = 0; i < sizeof cpus->bits / sizeof *cpus->bits; i++)
        cpus->bits[i] &= whole->bits[i];
    return 0;
}

// True if the notes name Go, whose runtime reads the mask by a system call instruction of its own.
static bool main_node_notes_go(const char *notes, size_t bytes)
{
    const ElfW(Word) build_id = 4; // cmd/link: ELF_NOTE_GOBUILDID_TAG
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, notes, sizeof note);
        const size_t name = (note.n_namesz + 3U) & ~3U, text = (note.n_descsz + 3U) & ~3U;
        const size_t whole = sizeof note + name + text;
        if (whole > bytes)
            return false;
        if (note.n_type == build_id && note.n_namesz == sizeof "Go" + 1 && memcmp(notes + sizeof note, "Go", 3) == 0)
            return true;
        notes += whole;
        bytes -= whole;
    }
    return false;
}

static int main_node_look(struct dl_phdr_info *info, size_t size, void *reads_itself)
{
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_NOTE)
            *(bool *)reads_itself |= main_node_notes_go((const char *)info->dlpi_addr + part->p_vaddr, part->p_memsz);
    }
    return 1; // the program itself comes first, and alone matters
}

bool preload_reads_mask_itself(void)
{
    bool reads_itself = false;
    dl_iterate_phdr(main_node_look, &reads_itself);
    return reads_itself;
}
