// SPDX-License-Identifier: Apache-2.0
// The same allocation in another run: call stack by build id and offset, size, ordinal in its thread.
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <unwind.h>

#include "collectors/preload/place/place.h"

static const struct placement *placement;
static _Atomic uintptr_t returns[PLACEMENT_FRAMES]; // return address of each frame here; 0: its module is not loaded
static _Atomic uintptr_t biases[PLACEMENT_MODULES]; // of loaded modules, plus 1; 0: not loaded
static _Atomic unsigned long long loaded;           // modules loaded at the last check
static __thread uint32_t ordinals[PLACEMENT_SUBJECTS];

// Of the library that backtrace(3) loads too; backtrace would go on behind the frames that are compared.
static struct {
    __typeof__(&_Unwind_Backtrace) walk;
    __typeof__(&_Unwind_GetIP) address;
} unwinder;

// --- modules

// Notes are aligned to 4 bytes in the segment of a build id, also in 64-bit files (the linker's common practice).
static const uint8_t *match_build_id(const struct dl_phdr_info *info, size_t *length)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr);
        const char *end = segment->p_type == PT_NOTE ? at + segment->p_memsz : at;
        while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const void *)at;
            const char *name = at + sizeof *note, *data = name + ((note->n_namesz + 3) & ~3U);
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
                *length = note->n_descsz;
                return (const uint8_t *)data;
            }
            at = data + ((note->n_descsz + 3) & ~3U);
        }
    }
    return NULL;
}

static int match_module(const uint8_t *build_id, size_t length)
{
    for (uint32_t i = 0; i < placement->module_count; i++)
        if (placement->modules[i].length == length && memcmp(placement->modules[i].build_id, build_id, length) == 0)
            return (int)i;
    return -1;
}

// Address of a file offset in a loaded module; 0: the offset is in no segment.
static uintptr_t match_address(const struct dl_phdr_info *info, uint64_t offset)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && offset >= segment->p_offset && offset - segment->p_offset < segment->p_filesz)
            return info->dlpi_addr + segment->p_vaddr + (offset - segment->p_offset);
    }
    return 0;
}

static int match_take_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    size_t length = 0;
    const uint8_t *build_id = match_build_id(info, &length);
    int module = build_id ? match_module(build_id, length) : -1;
    (void)size;
    (void)unused;
    atomic_store_explicit(&loaded, info->dlpi_adds, memory_order_relaxed);
    if (module < 0)
        return 0;
    atomic_store_explicit(&biases[module], info->dlpi_addr + 1, memory_order_relaxed);
    for (uint32_t i = 0; i < placement->frame_count; i++) {
        uintptr_t call = placement->frames[i].module == (uint32_t)module
                             ? match_address(info, placement->frames[i].offset) : 0;
        if (call)
            atomic_store_explicit(&returns[i], call + 1, memory_order_relaxed);
    }
    return 0;
}

static int match_count_modules(struct dl_phdr_info *info, size_t size, void *adds)
{
    (void)size;
    *(unsigned long long *)adds = info->dlpi_adds;
    return 1; // the first module tells of all
}

// Resolves again if libraries were loaded since: they may hold frames of the file.
static void match_again(void)
{
    unsigned long long adds = 0;
    dl_iterate_phdr(match_count_modules, &adds);
    if (adds != atomic_load_explicit(&loaded, memory_order_relaxed))
        dl_iterate_phdr(match_take_module, NULL);
}

int place_match_open(const struct placement *file)
{
    void *library = dlopen("libgcc_s.so.1", RTLD_NOW);
    placement = file;
    dl_iterate_phdr(match_take_module, NULL);
    if (!library)
        return -ENOENT;
    unwinder.walk = dlsym(library, "_Unwind_Backtrace");
    unwinder.address = dlsym(library, "_Unwind_GetIP");
    return 0;
}

// --- call stacks

static uintptr_t match_return(const struct placement_subject *subject, uint32_t frame)
{
    return atomic_load_explicit(&returns[subject->first_frame + frame], memory_order_relaxed);
}

struct match_walk {
    const struct placement_subject *subject;
    const void *caller;
    uint32_t matched;            // frames so far
};

// Frames of the preload library stand before the caller.
static _Unwind_Reason_Code match_frame(struct _Unwind_Context *context, void *data)
{
    struct match_walk *walk = data;
    const uintptr_t address = unwinder.address(context);
    if (walk->matched == 0 && address != (uintptr_t)walk->caller)
        return _URC_NO_REASON;
    if (address != match_return(walk->subject, walk->matched))
        return _URC_NORMAL_STOP;
    walk->matched++;
    return walk->matched < walk->subject->frame_count ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

static bool match_stack(const struct placement_subject *subject, const void *caller)
{
    static __thread bool inside; // what the unwinder allocates is not placed
    struct match_walk walk = {.subject = subject, .caller = caller};
    if (subject->frame_count == 1 || inside)
        return !inside;
    inside = true;
    unwinder.walk(match_frame, &walk);
    inside = false;
    return walk.matched == subject->frame_count;
}

int place_match(enum placement_kind kind, size_t bytes, const void *caller)
{
    for (uint32_t i = 0; i < placement->subject_count; i++) {
        const struct placement_subject *subject = &placement->subjects[i];
        if (subject->kind != kind || bytes < subject->bytes_min || bytes > subject->bytes_max)
            continue;
        if (!match_return(subject, 0))
            match_again();
        if (caller && match_return(subject, 0) == (uintptr_t)caller && match_stack(subject, caller))
            return (int)i;
    }
    return -1;
}

uint32_t place_ordinal(int subject)
{
    return ordinals[subject]++;
}

uintptr_t place_static(int subject)
{
    const struct placement_subject *variable = &placement->subjects[subject];
    uintptr_t bias = atomic_load_explicit(&biases[variable->module], memory_order_relaxed);
    return bias ? bias - 1 + variable->offset : 0;
}
