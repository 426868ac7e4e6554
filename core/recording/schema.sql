-- SPDX-License-Identifier: Apache-2.0
--
-- The recording: the one file between the recorder (C) and the reports (Python). This text is its only
-- definition; the recorder embeds it. A change of meaning raises user_version (docs/recording.md).
--
-- Units stand in the column's name: _ns nanoseconds, _bytes bytes. Times t_ns, start_ns, end_ns count
-- CLOCK_MONOTONIC nanoseconds from the start of the run. NULL means "not known" everywhere; it is never
-- stored as 0 or -1. Texts that come from the target (names, paths, commands) are raw bytes, hostile until
-- a view cleans them. Plain tables, not STRICT ones: the SQLite in Python 3.9 of older distributions reads them too.

PRAGMA application_id = 0x4E554D41;     -- "NUMA": how file(1) and the reports know the file
PRAGMA user_version = 1;

-- One row: the command, the machine, and how the run ended.
CREATE TABLE run (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    command        TEXT NOT NULL,       -- the arguments as a JSON array of strings
    cwd            TEXT,
    program        TEXT,                -- resolved path of the executable
    pid            INTEGER,
    started_at     TEXT NOT NULL,       -- UTC, ISO 8601 with milliseconds
    wall_ns        INTEGER,             -- from exec to the target's end
    exit_status    INTEGER,             -- NULL if it died by a signal or its end was not seen
    term_signal    INTEGER,             -- NULL if it exited
    complete       INTEGER NOT NULL DEFAULT 0,  -- 1 once the recorder closed the file; 0: it was killed
    host           TEXT,
    kernel         TEXT,                -- release, e.g. 6.1.0-50-amd64
    arch           TEXT,                -- machine, e.g. x86_64
    cpu_vendor     TEXT,                -- GenuineIntel, AuthenticAMD, ...
    cpu_family     INTEGER,
    cpu_model      INTEGER,
    cpu_stepping   INTEGER,
    cpu_name       TEXT,                -- the model name the kernel prints
    uarch          TEXT,                -- the event catalogue's name of this CPU; NULL: not in the catalogue
    tool_version   TEXT NOT NULL,
    emulated       TEXT,                -- name of the emulated machine; NULL on real hardware
    page_bytes     INTEGER NOT NULL,
    huge_pages     TEXT,                -- transparent huge pages: always, madvise, never
    balancing      INTEGER,             -- kernel.numa_balancing: 0 off, 1 on, 2 tiering; NULL unknown
    balancing_moved_pages INTEGER,      -- pages the balancer moved machine-wide while the target ran
    pin_policy     TEXT NOT NULL,       -- compact, scatter, none, list
    pin_plan       TEXT,                -- the CPUs in the order threads take them, as a list: 0,2,4,6,1,3
    allowed_cpus   TEXT,                -- inherited affinity mask, list format
    allowed_nodes  TEXT,                -- nodes this run may take memory from, list format
    interval_ns    INTEGER NOT NULL,    -- of the time line, as asked for; 0: each count is one total (imported)
    tool_cpu_ns    INTEGER,             -- CPU time the recorder itself used until the target's end
    repeat         INTEGER NOT NULL DEFAULT 1   -- which of run -n REPEATS, from 1
);

-- One row per evidence level of docs/dev/architecture.md: used or not, and if not, the reason and the remedy.
CREATE TABLE evidence (
    level     INTEGER PRIMARY KEY,      -- 1 is the best
    collector TEXT NOT NULL,            -- counters, samples, faults, pages
    used      INTEGER NOT NULL,
    detail    TEXT,                     -- what was used: offcore-response, retired loads, page-faults event, ...
    why_not   TEXT,
    remedy    TEXT                      -- the exact command or setting, where there is one
);

-- When the recorder was counting: the whole run, or the parts that --delay, --duration, --control and marks chose.
CREATE TABLE window (
    start_ns INTEGER NOT NULL,
    end_ns   INTEGER,                   -- NULL: until the end of the run
    cause    TEXT NOT NULL              -- run, delay, control, mark
);

CREATE TABLE node (
    id         INTEGER PRIMARY KEY,     -- the kernel's number; numbers may have gaps
    mem_bytes  INTEGER,                 -- 0: a node without memory
    free_bytes INTEGER,                 -- at the start of the run
    allowed    INTEGER NOT NULL         -- this run may allocate here
);

CREATE TABLE cpu (
    id      INTEGER PRIMARY KEY,        -- logical CPU
    node    INTEGER REFERENCES node,
    package INTEGER,
    core    INTEGER,                    -- unique within its package
    thread  INTEGER,                    -- rank among the hyperthreads of its core, from 0
    online  INTEGER NOT NULL,
    allowed INTEGER NOT NULL            -- in the inherited affinity mask
);

CREATE TABLE distance (
    from_node   INTEGER NOT NULL REFERENCES node,
    to_node     INTEGER NOT NULL REFERENCES node,
    firmware    INTEGER,                -- SLIT: 10 is local
    latency_ns  REAL,                   -- measured, where topology --measure has been run: random walk, idle machine
    read_bytes_per_s REAL,              -- the same: all cores of from_node
    PRIMARY KEY (from_node, to_node)
) WITHOUT ROWID;

-- The last topology --measure of this machine, if there was one: at most one row, and its numbers (docs/measuring.md).
CREATE TABLE measurement (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    at         TEXT NOT NULL,           -- UTC, ISO 8601
    kernels    TEXT NOT NULL,           -- instructions of the timed loops: AVX-512, NEON, ...
    buffer_bytes INTEGER,               -- size of the measured memory; loops use half of it at a time
    huge_pages INTEGER NOT NULL         -- 0: there were none, and all numbers are of base pages
);

CREATE TABLE measured (
    metric    TEXT NOT NULL,            -- latency_random, read_all, ...
    unit      TEXT NOT NULL,            -- ns, bytes_per_s, ns_per_line
    from_node INTEGER NOT NULL,         -- whose CPUs
    to_node   INTEGER,                  -- whose memory; NULL: interleaved over all nodes
    median    REAL NOT NULL,
    low       REAL NOT NULL,            -- of the repeats
    high      REAL NOT NULL,
    repeats   INTEGER NOT NULL,
    noisy     INTEGER NOT NULL          -- 1: the middle half of the repeats spans more than 10 %
);

-- The last numaprof verify of this machine as it was then, if there was one: at most one row, and its events (docs/verify.md).
CREATE TABLE verification (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    at         TEXT NOT NULL,           -- UTC, ISO 8601
    partial    INTEGER NOT NULL,        -- 1: something that could have been verified was not
    local      TEXT                     -- the measured meaning of local; NULL: unknown
);

CREATE TABLE verified (
    class      TEXT NOT NULL,           -- as in event; loads: sampled loads, placement ''
    placement  TEXT NOT NULL,
    config     INTEGER NOT NULL,        -- perf_event_attr.config, .config1
    config1    INTEGER NOT NULL,
    word       TEXT NOT NULL,           -- verified, verified in part, not verified, counts nothing, half, double, other things
    why        TEXT                     -- of any word but verified
);

CREATE TABLE process (
    id        INTEGER PRIMARY KEY,      -- numaprof's own, because the kernel reuses pids
    pid       INTEGER NOT NULL,         -- in the recorder's pid namespace
    parent    INTEGER REFERENCES process,
    exe       TEXT,
    start_ns  INTEGER NOT NULL,
    end_ns    INTEGER,
    followed  TEXT NOT NULL             -- preload, inherited, late, attached, imported, no (a note says why)
);

CREATE TABLE thread (
    id          INTEGER PRIMARY KEY,    -- numaprof's own
    process     INTEGER NOT NULL REFERENCES process,
    tid         INTEGER NOT NULL,
    name        TEXT,                   -- comm, the last one seen
    start_ns    INTEGER NOT NULL,
    end_ns      INTEGER,
    from_start  INTEGER NOT NULL,       -- 0: found later; its time before was not recorded
    pin         TEXT NOT NULL,          -- planned: by numaprof; program: by itself or its runtime; helper: left free; none
    planned_cpu INTEGER,
    own_cpus    TEXT,                   -- pin = program: the chosen mask, list format
    cpu_ns      INTEGER,                -- time it ran on any CPU while the recorder was counting; NULL: not known
    migrations  INTEGER,                -- times it changed CPU after it was pinned; a migrated thread has > 0
    uncounted_ns INTEGER                -- CPU time it used before its counters were open, not in cpu_ns; NULL: not known, or none opened
);

-- How long threads waited for a CPU while they could have run, and how long they ran, both up to the last reading (every
-- 250 ms) and since the recorder came. Threads that never waited have no row.
CREATE TABLE run_delay (
    thread    INTEGER PRIMARY KEY REFERENCES thread,
    waited_ns INTEGER NOT NULL,
    ran_ns    INTEGER NOT NULL
);

-- What a counter counts. class x placement is the population; docs/events.md explains the words.
CREATE TABLE event (
    id         INTEGER PRIMARY KEY,
    collector  TEXT NOT NULL,           -- counters, samples, faults
    name       TEXT NOT NULL,           -- the catalogue's or the kernel's name
    class      TEXT NOT NULL,           -- demand_rd, demand_rfo, pf_any, any, retired_load, ...; time: task-clock
    placement  TEXT NOT NULL,           -- local_dram, remote_dram, local_cache, remote_cache, ...; '' for time
    type       INTEGER,                 -- perf_event_attr.type, .config, .config1 as opened
    config     INTEGER,
    config1    INTEGER,
    exclude_kernel INTEGER NOT NULL,
    confidence TEXT,                    -- the catalogue's: two, one, derived, ...
    period     INTEGER,                 -- overflow sampling: events per sample at the start; NULL: counting only
    remark     TEXT                     -- what the number includes or leaves out
);

-- Deltas per interval; rows whose value, enabled and running are all 0 are not written. Nothing is scaled: a
-- reader that scales by enabled/running says so. cpu is NULL where the thread may have run on several.
CREATE TABLE count (
    event      INTEGER NOT NULL REFERENCES event,
    thread     INTEGER REFERENCES thread,       -- NULL: all threads of the process tree on that cpu (inherited events),
                                        -- or where cpu is NULL too, on all; of perf stat -a, all programs on that cpu
    cpu        INTEGER REFERENCES cpu,
    t_ns       INTEGER NOT NULL,        -- end of the interval; intervals of two events need not end together
    value      INTEGER NOT NULL,
    enabled_ns INTEGER NOT NULL,        -- time the event wanted to count
    running_ns INTEGER NOT NULL,        -- time it had a counter
    work       INTEGER                  -- instructions retired while it had a counter; of task-clock: all; NULL: not counted
);

-- Words for sample.kind. Fault kinds: docs/dev/architecture.md, "A page fault is not yet a first touch".
CREATE TABLE sample_kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL, meaning TEXT NOT NULL);
INSERT INTO sample_kind VALUES
    (1,  'overflow',      'counter overflow: the instruction and time of a counted access, no address'),
    (2,  'load',          'sampled load with address'),
    (3,  'store',         'sampled store with address'),
    (10, 'first_touch',   'first touch of a page: it decides which node the page is on'),
    (11, 'zero_page',     'read of an untouched anonymous page: the shared zero page is mapped, no node yet'),
    (12, 'copy_on_write', 'write to a shared page: a new page is made for the writer'),
    (13, 'refault',       'page came back after munmap or MADV_DONTNEED, or from swap'),
    (14, 'hint',          'hint fault of automatic NUMA balancing: an ordinary access'),
    (15, 'file',          'page of a mapped file: placed by the page cache, not by this program'),
    (19, 'fault',         'page fault of unknown kind');

-- Words for sample.source: what answered the access.
CREATE TABLE source (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO source VALUES
    (1, 'local_dram'), (2, 'remote_dram'), (3, 'local_cache'), (4, 'remote_cache'), (5, 'remote_modified'),
    (6, 'own_cache'), (7, 'other'),
    (8, 'slow_tier');                   -- persistent memory, memory behind CXL, or of a node without CPUs: near or far, not told.
                                        -- node_memory 'untold': nothing tells that it is slow; HBM may look like that

CREATE TABLE sample (
    id         INTEGER PRIMARY KEY,
    kind       INTEGER NOT NULL REFERENCES sample_kind,
    event      INTEGER REFERENCES event,
    t_ns       INTEGER NOT NULL,
    thread     INTEGER NOT NULL REFERENCES thread,
    cpu        INTEGER,
    weight     INTEGER NOT NULL,        -- what this sample stands for: base pages for the fault kinds, else events
    stack      INTEGER REFERENCES stack,
    address    INTEGER,                 -- data address; NULL: overflow samples have none
    block      INTEGER REFERENCES block,
    page_node  INTEGER,                 -- node of the page; NULL unknown
    source     INTEGER REFERENCES source,
    latency    INTEGER                  -- cycles, load samples only
);

-- Sums over sample, by kind, written when the file is closed; none after a kill. They save a reader one pass over all samples.
CREATE TABLE sample_sum (
    kind    INTEGER PRIMARY KEY REFERENCES sample_kind,
    samples INTEGER NOT NULL,
    weight  INTEGER NOT NULL
);

-- A place in a program, symbolised by the recorder. Inlined calls are places of their own, linked outwards.
CREATE TABLE place (
    id        INTEGER PRIMARY KEY,
    module    TEXT,                     -- path of the ELF file, [kernel], [vdso], [anonymous code]; NULL unknown
    build_id  TEXT,                     -- hexadecimal
    address   INTEGER,                  -- offset in the module's file (absolute where there is none); NULL for inlined callers
    function  TEXT,                     -- demangled; NULL unknown
    offset    INTEGER,                  -- from the function's start
    file      TEXT,
    line      INTEGER,
    inline_of INTEGER REFERENCES place  -- the place this one was inlined into; NULL: not inlined
);

-- Source text around the heaviest places, as it was when the run ended. Only files that debug information names.
CREATE TABLE source_line (
    file TEXT NOT NULL,                 -- as in place
    line INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (file, line)
) WITHOUT ROWID;

-- A call stack as a linked list: innermost place first, then its callers. A stack with the same callers shares them.
CREATE TABLE stack (
    id        INTEGER PRIMARY KEY,
    place     INTEGER NOT NULL REFERENCES place,
    caller    INTEGER REFERENCES stack, -- NULL: outermost known
    truncated INTEGER NOT NULL DEFAULT 0        -- 1: callers exist beyond but were not recorded
);

-- What a user can name. One object is all blocks of one variable or of one allocation call stack.
CREATE TABLE object (
    id          INTEGER PRIMARY KEY,
    process     INTEGER NOT NULL REFERENCES process,
    kind        TEXT NOT NULL,          -- heap, static, tls, stack, mapping, file, shared, huge
    name        TEXT,                   -- variable, file or mapping name; NULL: named by its allocation site
    alloc_stack INTEGER REFERENCES stack,   -- of a static variable: the place of its declaration
    address     INTEGER                 -- of a static variable: in its module's own numbering; NULL for all else
);

CREATE TABLE block (
    id       INTEGER PRIMARY KEY,
    object   INTEGER NOT NULL REFERENCES object,
    address  INTEGER NOT NULL,
    bytes    INTEGER NOT NULL,
    start_ns INTEGER NOT NULL,          -- when it was allocated or first seen
    end_ns   INTEGER,                   -- NULL: lived to the end
    thread   INTEGER REFERENCES thread  -- that allocated it
);

-- Nodes of pages: one snapshot asks about pages of private and shared memory: every page, or in large processes every
-- n-th, of ranges without a recorded fault fewer. Neighbours with one answer are one row.
CREATE TABLE snapshot (
    id      INTEGER PRIMARY KEY,
    process INTEGER NOT NULL REFERENCES process,
    t_ns    INTEGER NOT NULL,
    cause   TEXT NOT NULL,              -- interval, exit, detach
    method  TEXT NOT NULL,              -- move_pages, numa_maps
    asked   INTEGER NOT NULL,           -- pages asked about
    known   INTEGER NOT NULL            -- pages with an answer
);

CREATE TABLE page_home (
    snapshot INTEGER NOT NULL REFERENCES snapshot,
    address  INTEGER NOT NULL,          -- of the first page
    pages    INTEGER NOT NULL,          -- base pages (run.page_bytes) that were asked about
    span     INTEGER NOT NULL,          -- base pages that they stand for; = pages if none was left out
    node     INTEGER,                   -- NULL: no page there, or the kernel would not say
    PRIMARY KEY (snapshot, address)     -- written in this order, so that appending costs no search
) WITHOUT ROWID;

-- What affects the numbers: lost, throttled, refused, downsampled, not followed. A view prints a note beside the numbers.
CREATE TABLE note (
    id      INTEGER PRIMARY KEY,
    t_ns    INTEGER,
    kind    TEXT NOT NULL,              -- one word, listed in docs/recording.md
    thread  INTEGER REFERENCES thread,
    process INTEGER REFERENCES process,
    value   INTEGER,                    -- how many
    text    TEXT NOT NULL,              -- one sentence for people
    remedy  TEXT
);

-- Kernel counters of moved pages before and after the run. They count every program of the machine, of the node's memory, or
-- of the control group (cgroup: that of the recorder). A counter that this kernel does not have has no row. setting: 0 or 1
-- for demotion_enabled, a number for damon_threads.
CREATE TABLE mover (
    scope   TEXT NOT NULL,              -- machine, node, cgroup, setting
    node    INTEGER REFERENCES node,    -- of scope node
    counter TEXT NOT NULL,              -- the kernel's name in /proc/vmstat
    before  INTEGER NOT NULL,
    after   INTEGER NOT NULL
);

-- Kind of a node's memory: DRAM (the node has CPUs), HBM, CXL, persistent, GPU, untold (no CPUs), none.
CREATE TABLE node_memory (
    node   INTEGER PRIMARY KEY REFERENCES node,
    memory TEXT NOT NULL
);

-- Last-level cache of each CPU, by the first CPU that it serves. A CPU whose caches the kernel does not tell has no row.
CREATE TABLE last_cache (
    cpu   INTEGER PRIMARY KEY REFERENCES cpu,
    cache INTEGER NOT NULL
);

-- One row if a launcher of a parallel job started the run (MPI, Slurm, torchrun ...), from its variables.
CREATE TABLE rank (
    number       INTEGER PRIMARY KEY,   -- in the job, from 0
    launcher     TEXT NOT NULL,         -- Open MPI, MPICH, PALS, Flux, torchrun, PMIx, MVAPICH, Slurm
    job          TEXT,                  -- the launcher's name of the job, of Slurm JOB.STEP; NULL: not told
    size         INTEGER,               -- ranks of the job; NULL: not told
    local_number INTEGER,               -- among the ranks of this host, from 0; NULL: not told
    local_size   INTEGER,               -- ranks of this host; NULL: not told
    shares       INTEGER NOT NULL       -- 1: no launcher bound the ranks, and pin_plan is this rank's share of the CPUs
);

-- One row for each process that ran before the recorder attached (numaprof attach). Its memory of that time has no first touch and
-- no allocation call stack in this recording.
CREATE TABLE attached (
    process INTEGER PRIMARY KEY REFERENCES process,
    age_ns  INTEGER                     -- how long it had run by then; NULL: not known
);

-- Objects in memory that was mapped before the recorder attached: first touches and allocations of some or all of it are unknown.
CREATE TABLE placed_before (
    object INTEGER PRIMARY KEY REFERENCES object
);

-- Shared memory that a process maps at another address than the process where it was seen first: the same bytes from the first on.
CREATE TABLE same_memory (
    block    INTEGER PRIMARY KEY REFERENCES block,
    as_block INTEGER NOT NULL REFERENCES block  -- it has at least as many bytes, and the same object
);

-- One row if the recording was made from what another tool recorded (numaprof import).
CREATE TABLE imported (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    tool      TEXT NOT NULL,            -- perf
    version   TEXT,                     -- of that tool; NULL: the file does not tell
    command   TEXT,                     -- of that tool, as a JSON array of strings
    form      TEXT NOT NULL,            -- file, pipe, text
    cut       INTEGER NOT NULL          -- 1: the end of the file is missing
);

-- What the imported file has, and what it lacks.
CREATE TABLE imported_part (
    id      INTEGER PRIMARY KEY,        -- in the order of a report
    part    TEXT NOT NULL,
    there   INTEGER NOT NULL,           -- samples (or nodes, mappings) that have it; 0: the file lacks it
    of      INTEGER NOT NULL,           -- imported samples that could have it
    without TEXT                        -- what does not follow without it
);

-- Files whose code the program mapped; reports recognise runtimes by them.
CREATE TABLE code_file (
    path TEXT PRIMARY KEY
) WITHOUT ROWID;

-- What made such a file, if its own build information says so; a stripped program keeps it.
CREATE TABLE code_maker (
    path  TEXT PRIMARY KEY,
    maker TEXT NOT NULL                 -- "Go 1.22.3"
) WITHOUT ROWID;

-- Processes that mapped OpenBLAS, and how many threads it is to use by the environment that they began with.
CREATE TABLE openblas (
    process  INTEGER NOT NULL REFERENCES process,
    variable TEXT,                      -- that says so: OPENBLAS_NUM_THREADS, GOTO_NUM_THREADS, OMP_NUM_THREADS; NULL: none does
    threads  INTEGER                    -- its value
);

-- A run under a placement file (record --place): one row for each subject of the file. Bytes are those the program asked for.
CREATE TABLE placed (
    line        INTEGER NOT NULL,       -- of the placement file, where the subject begins
    kind        TEXT NOT NULL,          -- allocation, mapping, static
    asked       INTEGER NOT NULL,       -- allocations that the subject describes
    asked_bytes INTEGER NOT NULL,
    placed      INTEGER NOT NULL,       -- that got their policy before their first touch
    placed_bytes INTEGER NOT NULL,
    refused     INTEGER NOT NULL,       -- that did not: the program's allocator served them
    moved_bytes INTEGER NOT NULL,       -- on the wrong side of a border, by rounding to whole pages
    extra_bytes INTEGER NOT NULL,       -- memory beyond the program's request
    checked_bytes INTEGER NOT NULL,     -- touched memory whose node was looked up at the free or the end of the process
    right_bytes INTEGER NOT NULL,       -- of these, on the requested node
    error       TEXT                    -- why the last refusal
);
