// SPDX-License-Identifier: Apache-2.0
#include "core/system/host.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/sysfile.h"

// Vendors whose machines are virtual (product NULL: all of them), as the firmware spells them.
static const struct {
    const char *vendor, *product, *name;
} host_firmware[] = {
    {"Amazon EC2", NULL, "Amazon EC2"},
    {"Google", "Google Compute Engine", "Google Compute Engine"},
    {"Microsoft Corporation", "Virtual Machine", "Hyper-V"},
    {"QEMU", NULL, "QEMU or KVM"},
    {"VMware", NULL, "VMware"},
    {"Xen", NULL, "Xen"},
    {"innotek GmbH", NULL, "VirtualBox"},
    {"OpenStack Foundation", NULL, "OpenStack"},
    {"Alibaba Cloud", NULL, "Alibaba Cloud"},
    {"DigitalOcean", NULL, "DigitalOcean"},
};

static const char *host_firmware_name(const char *root)
{
    char vendor[128], product[128];
    if (sysfile_text(root, vendor, sizeof vendor, "/sys/class/dmi/id/sys_vendor") < 0 ||
        sysfile_text(root, product, sizeof product, "/sys/class/dmi/id/product_name") < 0 || strstr(product, ".metal"))
        return NULL;
    for (size_t i = 0; i < sizeof host_firmware / sizeof *host_firmware; i++)
        if (strncmp(vendor, host_firmware[i].vendor, strlen(host_firmware[i].vendor)) == 0 &&
            (!host_firmware[i].product || strcmp(product, host_firmware[i].product) == 0))
            return host_firmware[i].name;
    return NULL;
}

// x86 CPUs say themselves that there is a hypervisor: CPUID leaf 1, ECX bit 31; of POWER, Linux says in which mode a
// partition runs, "POWER10 (architected)" or "(raw)". 1 yes, 0 no, -1 they do not say.
static int host_ask_cpu(const char *root)
{
#if defined(__x86_64__)
    unsigned int a, b, c, d;
    if (*root == '\0' && __get_cpuid(1, &a, &b, &c, &d))
        return c >> 31 & 1;
#endif
    (void)root;
    return -1;
}

static int host_cpu_flag(const char *root)
{
    char text[16384];
    if (sysfile_head(root, text, sizeof text, "/proc/cpuinfo") < 0)
        return host_ask_cpu(root);
    char *flags = strstr(text, "\nflags\t");
    if (!flags)
        return strstr(text, " (architected)") || strstr(text, " (raw)") ? 1 : -1;
    flags[strcspn(flags + 1, "\n") + 1] = '\0';
    const char *found = strstr(flags, " hypervisor");
    return found && (found[11] == ' ' || found[11] == '\0');
}

static void host_read_hypervisor(struct host *host, const char *root)
{
    char type[HOST_NAME_BYTES];
    const char *name = host_firmware_name(root);
    bool has_type = sysfile_text(root, type, sizeof type, "/sys/hypervisor/type") > 0;
    int flag = host_cpu_flag(root);
    host->is_virtual = has_type || flag == 1 || (flag < 0 && name);
    if (host->is_virtual)
        snprintf(host->hypervisor, sizeof host->hypervisor, "%s", name ? name : has_type ? type : "");
}

// Numbers of the initial namespaces: the kernel's include/linux/proc_ns.h, since Linux 3.8.
static const struct {
    const char *name, *initial;
} host_namespaces[] = {
    {"cgroup", "cgroup:[4026531835]"}, {"ipc", "ipc:[4026531839]"},   {"pid", "pid:[4026531836]"},
    {"user", "user:[4026531837]"},     {"uts", "uts:[4026531838]"},
};

// Whether the namespace is not the machine's first one. -1: not known.
static int host_is_inside(const char *root, const char *name)
{
    char link[64];
    size_t length = strlen(name);
    if (sysfile_link(root, link, sizeof link, "/proc/self/ns/%s", name) < 0 || strncmp(link, name, length) != 0 ||
        strncmp(link + length, ":[", 2) != 0)
        return -1;
    for (size_t i = 0; i < sizeof host_namespaces / sizeof *host_namespaces; i++)
        if (strcmp(host_namespaces[i].name, name) == 0)
            return strcmp(link, host_namespaces[i].initial) != 0;
    return -1;
}

// What container managers leave behind. NULL: nothing; images of virtual machines made from containers have it, too.
static const char *host_container_mark(const char *root, char name[HOST_NAME_BYTES])
{
    if (sysfile_text(root, name, HOST_NAME_BYTES, "/run/systemd/container") > 0)
        return name;
    char text[512];
    if (sysfile_text(root, text, sizeof text, "/run/.containerenv") >= 0)
        return "podman";
    if (sysfile_text(root, text, sizeof text, "/.dockerenv") >= 0)
        return "docker";
    return NULL;
}

static void host_read_container(struct host *host, const char *root)
{
    char name[HOST_NAME_BYTES];
    const char *mark = host_container_mark(root, name);
    int pid = host_is_inside(root, "pid");
    bool inside = pid == 1 || host_is_inside(root, "cgroup") == 1 || host_is_inside(root, "ipc") == 1 ||
                  host_is_inside(root, "uts") == 1;
    host->is_container = pid == 1 || (mark && (inside || pid < 0));
    if (host->is_container && mark)
        snprintf(host->container, sizeof host->container, "%s", mark);
    host->is_user_namespace = host_is_inside(root, "user") == 1;
}

static bool host_status_number(const char *text, const char *key, int base, uint64_t *value)
{
    const char *found = strstr(text, key);
    if (!found)
        return false;
    char *end;
    found += strlen(key);
    *value = strtoull(found, &end, base);
    return end != found && (*end == '\n' || *end == '\0');
}

static void host_read_status(struct host *host, const char *root)
{
    char *text;
    if (sysfile_whole(root, &text, "/proc/self/status") < 0)
        return;
    uint64_t mode;
    host->capabilities_known = host_status_number(text, "CapEff:\t", 16, &host->capabilities);
    host->seccomp_known = host_status_number(text, "Seccomp:\t", 10, &mode);
    host->has_seccomp_filter = host->seccomp_known && mode == SECCOMP_MODE_FILTER;
    free(text);
}

void host_read(struct host *host, const char *root)
{
    *host = (struct host){0};
    host_read_hypervisor(host, root);
    host_read_container(host, root);
    host_read_status(host, root);
}

bool host_is_capable(const struct host *host, int capability)
{
    return host->capabilities_known && !host->is_user_namespace && (host->capabilities >> capability & 1);
}
