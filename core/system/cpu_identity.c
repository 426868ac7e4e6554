// SPDX-License-Identifier: Apache-2.0
#include "core/system/cpu_identity.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"

// The first CPU's block is about 2 KiB with all the flags of today. Reading no further matters: the kernel asks every
// CPU for its frequency to print the rest, which takes long where there are hundreds.
enum { CPU_IDENTITY_HEAD_BYTES = 16384 };

// The kernel's keys. The first line with a key counts: it is the first CPU's.
enum { VENDOR, FAMILY, MODEL, STEPPING, MODEL_NAME, MICROCODE, IMPLEMENTER, ARCHITECTURE, VARIANT, PART, REVISION,
       POWER_CPU, POWER_REVISION, FIELD_COUNT };

static const char *const cpu_identity_keys[FIELD_COUNT] = {
    [VENDOR] = "vendor_id",
    [FAMILY] = "cpu family",
    [MODEL] = "model",
    [STEPPING] = "stepping",
    [MODEL_NAME] = "model name",
    [MICROCODE] = "microcode",
    [IMPLEMENTER] = "CPU implementer",
    [ARCHITECTURE] = "CPU architecture",
    [VARIANT] = "CPU variant",
    [PART] = "CPU part",
    [REVISION] = "CPU revision",
    [POWER_CPU] = "cpu",
    [POWER_REVISION] = "revision",
};

static char *cpu_identity_trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

// Cuts the text into lines "key : value" in place.
static void cpu_identity_split(char *text, char *values[FIELD_COUNT])
{
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *colon = strchr(line, ':');
        if (!colon)
            continue;
        *colon = '\0';
        const char *key = cpu_identity_trim(line);
        for (int i = 0; i < FIELD_COUNT; i++)
            if (!values[i] && strcmp(key, cpu_identity_keys[i]) == 0)
                values[i] = cpu_identity_trim(colon + 1);
    }
}

// A decimal or 0x number that fills the whole text and fits; else -1.
static int cpu_identity_number(const char *text)
{
    char *end;
    if (!text || !isdigit((unsigned char)*text))
        return -1;
    errno = 0;
    long number = strtol(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    return errno || *end || number > INT_MAX ? -1 : (int)number;
}

static void cpu_identity_x86(struct cpu_identity *identity, char *values[FIELD_COUNT])
{
    snprintf(identity->vendor, sizeof identity->vendor, "%s", values[VENDOR]);
    identity->family = cpu_identity_number(values[FAMILY]);
    identity->model = cpu_identity_number(values[MODEL]);
    identity->stepping = cpu_identity_number(values[STEPPING]);
}

// Layout of MIDR_EL1: Arm Architecture Reference Manual; architecture 0xf means "by the feature registers", as on
// every CPU since Armv7.
static void cpu_identity_arm(struct cpu_identity *identity, char *values[FIELD_COUNT])
{
    int implementer = cpu_identity_number(values[IMPLEMENTER]), variant = cpu_identity_number(values[VARIANT]);
    int revision = cpu_identity_number(values[REVISION]);
    if (implementer >= 0 && implementer <= 0xff)
        snprintf(identity->vendor, sizeof identity->vendor, "0x%02x", (unsigned)implementer);
    identity->family = cpu_identity_number(values[ARCHITECTURE]);
    identity->model = cpu_identity_number(values[PART]);
    if (variant >= 0 && variant <= 0xf && revision >= 0 && revision <= 0xf)
        identity->stepping = variant * 16 + revision;
}

// "2.2 (pvr 004e 1202)"
static void cpu_identity_power(struct cpu_identity *identity, char *values[FIELD_COUNT])
{
    const char *pvr = strstr(values[POWER_REVISION], "(pvr ");
    unsigned version, revision;
    if (!pvr || sscanf(pvr, "(pvr %4x %4x)", &version, &revision) != 2)
        return;
    snprintf(identity->vendor, sizeof identity->vendor, "IBM");
    identity->model = (int)version;
    identity->stepping = (int)revision;
}

// Where the kernel names two PMUs of cores, there are two kinds.
static bool cpu_identity_is_hybrid(const char *root)
{
    int64_t type;
    return sysfile_number(root, &type, "/sys/bus/event_source/devices/cpu_core/type") == 0 &&
           sysfile_number(root, &type, "/sys/bus/event_source/devices/cpu_atom/type") == 0;
}

// Does a later line with this key have another value than the first? Arm's /proc/cpuinfo costs no look at the other
// CPUs.
static bool cpu_identity_varies(const char *text, const char *key)
{
    const char *first = NULL;
    size_t key_length = strlen(key), length = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strncmp(line, key, key_length) != 0)
            continue;
        if (!first) {
            first = line;
            length = strcspn(line, "\n");
        } else if (strcspn(line, "\n") != length || strncmp(line, first, length) != 0)
            return true;
    }
    return false;
}

static bool cpu_identity_is_mixed_arm(const char *root)
{
    char *text;
    if (sysfile_whole(root, &text, "/proc/cpuinfo") < 0)
        return false;
    bool mixed = cpu_identity_varies(text, cpu_identity_keys[IMPLEMENTER]) ||
                 cpu_identity_varies(text, cpu_identity_keys[PART]);
    free(text);
    return mixed;
}

int cpu_identity_read(struct cpu_identity *identity, const char *root)
{
    char text[CPU_IDENTITY_HEAD_BYTES], *values[FIELD_COUNT] = {0};
    *identity = (struct cpu_identity){.family = -1, .model = -1, .stepping = -1};
    int status = sysfile_head(root, text, sizeof text, "/proc/cpuinfo");
    if (status < 0)
        return status;
    cpu_identity_split(text, values);
    if (values[VENDOR])
        cpu_identity_x86(identity, values);
    else if (values[IMPLEMENTER])
        cpu_identity_arm(identity, values);
    else if (values[POWER_REVISION])
        cpu_identity_power(identity, values);
    identity->mixed = values[VENDOR]        ? cpu_identity_is_hybrid(root)
                      : values[IMPLEMENTER] ? cpu_identity_is_mixed_arm(root)
                                            : false;
    const char *name = values[MODEL_NAME] ? values[MODEL_NAME] : values[POWER_CPU];
    snprintf(identity->name, sizeof identity->name, "%s", name ? name : "");
    snprintf(identity->microcode, sizeof identity->microcode, "%s", values[MICROCODE] ? values[MICROCODE] : "");
    return identity->vendor[0] ? 0 : -EINVAL;
}
