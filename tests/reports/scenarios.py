# SPDX-License-Identifier: Apache-2.0
"""The recordings the tests tell: programs with known truth, as a recorder would have seen them."""

from __future__ import annotations

import random

from recording_builder import FIRST_TOUCH, OVERFLOW, PAGE, RAN, Line, RecordingBuilder

INIT: Line = ("/home/u/src/sum.c", 17, "main")
LOOP: Line = ("/home/u/src/sum.c", 22, "main._omp_fn.0")
ARRAY = 0x7F0000000000  # 8192 pages, 32 MiB
PAGES = 8192
POSTGRES = "/home/u/pgsql/bin/postgres"
BLOCK = PAGES // 8


def levels(builder: RecordingBuilder, counters: bool = True) -> RecordingBuilder:
    """The evidence levels of a machine with counters, or of a virtual one without."""
    if counters:
        builder.level(1, "counters", True, detail="offcore-response")
    else:
        why = "this virtual machine shows no PMU"
        builder.level(1, "counters", False, why_not=why, remedy="switch it on in the hypervisor (e.g. -cpu host)")
    return builder.level(4, "faults", True, detail="page-faults event").level(5, "pages", True, detail="move_pages")


def init_stack(builder: RecordingBuilder) -> int:
    """memset in libc, called by the line of main that the user can edit."""
    libc = builder.place(("", 0, "__memset_avx2"), module="/usr/lib/x86_64-linux-gnu/libc.so.6", file=None, line=None)
    return builder.stack(libc, builder.place(INIT))


def touched_serially(builder: RecordingBuilder) -> RecordingBuilder:
    return builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0).homes((ARRAY, PAGES, 0))


def touched_in_parallel(builder: RecordingBuilder) -> RecordingBuilder:
    stack = builder.stack(builder.place(LOOP))
    for thread in range(8):
        builder.touch(stack, thread + 1, ARRAY + thread * BLOCK * PAGE, BLOCK, page_node=thread // 4)
    return builder.homes((ARRAY, PAGES // 2, 0), (ARRAY + PAGES // 2 * PAGE, PAGES // 2, 1))


def overflows(builder: RecordingBuilder, threads: range, samples: int = 40) -> RecordingBuilder:
    """Samples of remote prefetches, taken in the loop."""
    stack = builder.stack(builder.place(LOOP))
    for thread in threads:
        for _ in range(samples):
            builder.sample(OVERFLOW, thread, stack, 3271, event=4)
    return builder


def serial_init(**run: object) -> RecordingBuilder:
    """One thread initialises, eight sum up: node 1 reads everything from node 0."""
    builder = levels(RecordingBuilder(**run)).threads(8)
    builder.counters("demand_rd", [11] * 4 + [0] * 4, [0] * 4 + [11] * 4)
    builder.counters("pf_any", [131_072] * 4 + [0] * 4, [0] * 4 + [131_072] * 4)
    return overflows(touched_serially(builder), range(5, 9))


def parallel_init(**run: object) -> RecordingBuilder:
    """The fix: all local, but for prefetches across the border of the nodes' blocks, by the last thread before it."""
    builder = levels(RecordingBuilder(**run)).threads(8)
    builder.counters("demand_rd", [11] * 8, [0] * 8)
    builder.counters("pf_any", [131_072] * 8, [0, 0, 0, 5_900, 0, 0, 0, 0])
    return touched_in_parallel(builder)


def faults_only(nodes: int = 2, **run: object) -> RecordingBuilder:
    """No PMU: who touched first is known, who uses it is not."""
    builder = levels(RecordingBuilder(nodes=nodes, cpus_per_node=8 // nodes, **run), counters=False).threads(8)
    return touched_serially(builder)


def hinted(**run: object) -> RecordingBuilder:
    """No PMU, but automatic NUMA balancing samples accesses: each thread uses its own block."""
    builder = levels(RecordingBuilder(**{"balancing": 1, **run}), counters=False).threads(8)
    touched_serially(builder)
    stack = builder.stack(builder.place(LOOP))
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        builder.hints(stack, thread + 1, range(start, start + BLOCK * PAGE, 32 * PAGE), page_node=0)
    return builder


def hinted_by_all(**run: object) -> RecordingBuilder:
    """As before, but every thread uses all of it."""
    builder = levels(RecordingBuilder(**{"balancing": 1, **run}), counters=False).threads(8)
    touched_serially(builder)
    stack = builder.stack(builder.place(LOOP))
    for thread in range(8):
        start = ARRAY + thread * PAGE
        builder.hints(stack, thread + 1, range(start, start + (PAGES - 8) * PAGE, 256 * PAGE), page_node=0)
    return builder


def named_objects(**run: object) -> RecordingBuilder:
    """No counters, but sampled loads: an array whose blocks are used by their threads, and a table that all use."""
    builder = (
        RecordingBuilder(**run)
        .level(1, "counters", False, why_not="test")
        .level(3, "samples", True, detail="load latency")
    )
    builder.level(4, "faults", True, detail="page-faults event").level(5, "pages", True, detail="move_pages").threads(8)
    array = builder.block(
        builder.object("heap", builder.stack(builder.place(("/home/u/src/sum.c", 14, "main")))), ARRAY, PAGES
    )
    table = builder.block(builder.object("static", name="table"), ARRAY + (1 << 32), BLOCK)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0, block=array)
    builder.touch(init_stack(builder), 1, ARRAY + (1 << 32), BLOCK, page_node=0, block=table)
    loop, look_up = (
        builder.stack(builder.place(LOOP)),
        builder.stack(builder.place(("/home/u/src/sum.c", 30, "look_up"))),
    )
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        builder.loads(loop, thread + 1, range(start, start + BLOCK * PAGE, 16 * PAGE), 0, block=array)
        pages = random.Random(thread).sample(range(BLOCK), 16)
        builder.loads(look_up, thread + 1, [ARRAY + (1 << 32) + page * PAGE for page in pages], 0, block=table)
    return builder


def slow_tier(**run: object) -> RecordingBuilder:
    """An array on node 2, memory behind CXL without CPUs: thread 0 touches it first, all read their parts of it."""
    builder = levels(RecordingBuilder(**run), counters=False).threads(8)
    builder.row("node", id=2, mem_bytes=64 << 30, free_bytes=60 << 30, allowed=1)
    for node, memory in enumerate(("DRAM", "DRAM", "CXL")):
        builder.row("node_memory", node=node, memory=memory)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=2).homes((ARRAY, PAGES, 2))
    loop = builder.stack(builder.place(LOOP))
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        builder.loads(loop, thread + 1, range(start, start + BLOCK * PAGE, 32 * PAGE), 2, source=8)
        builder.hints(loop, thread + 1, range(start, start + BLOCK * PAGE, 64 * PAGE), page_node=2)
    return builder


def all_read_all(**run: object) -> RecordingBuilder:
    """Initialised in parallel, then every thread reads everything: half of it is remote, whoever initialises."""
    builder = levels(RecordingBuilder(**run)).threads(8)
    builder.counters("demand_rd", [2_000] * 8, [2_000] * 8)
    builder.counters("pf_any", [500_000] * 8, [500_000] * 8)
    return touched_in_parallel(builder)


def little_traffic(**run: object) -> RecordingBuilder:
    """Computes in its caches. What little it reads is half remote."""
    builder = levels(RecordingBuilder(**run)).threads(8)
    builder.counters("demand_rd", [300] * 4 + [0] * 4, [0] * 4 + [300] * 4)
    return builder.counters("pf_any", [100] * 8, [100] * 8)


def one_node_plan(**run: object) -> RecordingBuilder:
    """Four threads, packed onto the first node of two."""
    builder = levels(RecordingBuilder(**run)).threads(4)
    builder.counters("demand_rd", [11] * 4, [0] * 4).counters("pf_any", [262_144] * 4, [0] * 4)
    return builder.touch(init_stack(builder), 1, ARRAY, PAGES, page_node=0).homes((ARRAY, PAGES, 0))


def multiplexed(share: float = 1 / 3, **run: object) -> RecordingBuilder:
    """Three classes take turns on one register pair."""
    builder = levels(RecordingBuilder(**run)).threads(8)
    for request, count in (("demand_rd", 10_000), ("demand_rfo", 5_000), ("pf_any", 40_000)):
        builder.counters(request, [count] * 4 + [0] * 4, [0] * 4 + [count] * 4, share)
    return touched_serially(builder)


def wandering(**run: object) -> RecordingBuilder:
    """Nobody pins; thread 0 touched its memory on node 0, was moved to node 1 and reads it from there."""
    builder = levels(RecordingBuilder(**{"pin_policy": "none", **run}))
    for number in range(2):
        builder.thread(name="app", tid=4711 + number, pin="none", migrations=3)
    clock = builder.event("time", "")
    events = [builder.event("demand_rd", side) for side in ("local_dram", "remote_dram")]
    for thread, cpu, values in ((1, 4, (1_000, 200_000)), (2, 5, (200_000, 0))):
        builder.count(clock, thread, 50_000_000, cpu=cpu)
        for event, value in zip(events, values):
            builder.count(event, thread, value, cpu=cpu)
    builder.touch(init_stack(builder), 1, ARRAY, PAGES // 2, page_node=0, cpu=0)
    builder.touch(init_stack(builder), 2, ARRAY + PAGES // 2 * PAGE, PAGES // 2, page_node=1, cpu=5)
    return builder


def many_threads(count: int = 200, **run: object) -> RecordingBuilder:
    """More threads than a screen has lines; every eighth is remote-heavy."""
    builder = levels(RecordingBuilder(cpus_per_node=count // 2, **run)).threads(count, name="worker")
    remote = [90_000 if thread % 8 == 0 else 100 for thread in range(count)]
    builder.counters("demand_rd", [100_000] * count, remote)
    return builder


def hostile(**run: object) -> RecordingBuilder:
    """Names that try to be something else."""
    nasty = "\x1b[2J[red]sum[/red]\n\u202egnp.exe"
    command = '["./sum\\u001b]0;owned\\u0007", "a b", "[link=file:///etc/passwd]x[/link]"]'
    builder = levels(RecordingBuilder(**{"command": command, "host": nasty, "emulated": nasty, **run}))
    builder.threads(7, name=nasty)
    builder.threads(1, name=b"\xff\xfe\x9b31m")
    builder.counters("demand_rd", [100_000] * 8, [0] * 4 + [100_000] * 4)
    place = builder.place((f"/home/u/{nasty}.c", 7, nasty), module=f"/home/u/{nasty}")
    builder.touch(builder.stack(place), 1, ARRAY, PAGES, page_node=0).homes((ARRAY, PAGES, 0))
    return builder.note("lost", nasty, value=12, remedy=nasty)


def no_threads(**run: object) -> RecordingBuilder:
    """The program ended before any thread of it was seen."""
    return levels(RecordingBuilder(**{"exit_status": 3, **run}), counters=False)


def killed_recorder(**run: object) -> RecordingBuilder:
    """What is left when the recorder dies: no sums, no end."""
    return serial_init(**{"complete": 0, "wall_ns": None, "exit_status": None, "tool_cpu_ns": None, **run})


def starved_recorder(**run: object) -> RecordingBuilder:
    """The counters of the threads on node 1 were opened late: the recorder had no CPU for a while."""
    late = {"from_start": 0, "start_ns": 2_300_000_000, "uncounted_ns": 2 * RAN}
    return serial_init(**run).change("thread", where="id > 4", **late)


def attached_server(**run: object) -> RecordingBuilder:
    """PostgreSQL, which ran before: eight backends, four on each node, read shared buffers that are all on node 0."""
    server = {"command": '["postgres", "-D", "/srv/data"]', "program": POSTGRES, "exit_status": None}
    builder = levels(RecordingBuilder(**{**server, "pin_policy": "none", **run}))
    builder.level(3, "samples", True, detail="load latency").change("process", exe=POSTGRES, followed="attached")
    builder.row("attached", process=1, age_ns=900 * 1_000_000_000)
    buffers = builder.block(builder.object("shared", name="/dev/zero (deleted)"), ARRAY, PAGES)
    builder.row("placed_before", object=1)
    reads = builder.stack(builder.place(("", 0, "heap_getnextslot"), module=POSTGRES, file=None, line=None))
    for number in range(8):
        pid = 4800 + number
        process = builder.add("process", pid=pid, exe=POSTGRES, start_ns=0, end_ns=None, followed="attached")
        own = {"process": process, "tid": pid, "from_start": 0, "pin": "program", "own_cpus": f"{number}"}
        builder.thread(name="postgres", end_ns=None, **own)
        pages = range(ARRAY + number * PAGE, ARRAY + PAGES * PAGE, 64 * PAGE)
        builder.loads(reads, number + 1, pages, 0, block=buffers)
    builder.counters("demand_rd", [200_000] * 4 + [0] * 4, [0] * 4 + [200_000] * 4)
    return builder.homes((ARRAY, PAGES, 0))


SCENARIOS = {
    scenario.__name__: scenario
    for scenario in (
        serial_init,
        parallel_init,
        faults_only,
        hinted,
        hinted_by_all,
        named_objects,
        all_read_all,
        little_traffic,
        one_node_plan,
        multiplexed,
        wandering,
        many_threads,
        hostile,
        no_threads,
        killed_recorder,
        starved_recorder,
        slow_tier,
        attached_server,
    )
}
SCENARIOS["one_node_machine"] = lambda **run: faults_only(nodes=1, **run)
SCENARIOS["emulated"] = lambda **run: serial_init(emulated="two-nodes", **run)


# Arrays whose uses have addresses

MIB = 1 << 20
ALLOC: Line = ("/home/u/src/sum.c", 14, "main")
WORK: Line = ("/home/u/src/sum.c", 22, "work")
OTHER = ARRAY + (1 << 32)

# Who touches the pages of thread t's block, and on which node that is.
SERIAL, PARALLEL, REVERSED = [0] * 8, list(range(8)), list(range(7, -1, -1))


def sampled(threads: int = 8) -> RecordingBuilder:
    """A machine whose CPU samples loads with addresses; no counters, so that the samples are the verdict's basis."""
    return sampled_on(2, threads)


def array(
    builder: RecordingBuilder, touchers: list[int], address: int = ARRAY, line: Line = ALLOC, homes: str = "touch"
) -> int:
    """An array of the heap; homes: by its touchers, or "0", or "interleaved", or "uneven": a quarter is on node 1."""
    block = builder.block(builder.object("heap", builder.stack(builder.place(line))), address, PAGES)
    stack = init_stack(builder)
    for part, toucher in enumerate(touchers):
        for page in range(0, BLOCK, 64):
            turn = page // 64 % 8
            home = {"touch": toucher // 4, "0": 0, "interleaved": turn % 2, "uneven": turn < 2}[homes]
            where = address + (part * BLOCK + page) * PAGE
            builder.sample(FIRST_TOUCH, toucher + 1, stack, 64, address=where, page_node=home, block=block)
    return block


def sampled_on(nodes: int, threads: int = 8) -> RecordingBuilder:
    """Eight CPUs in all."""
    builder = RecordingBuilder(nodes, 8 // nodes)
    builder.level(1, "counters", False, why_not="test").level(3, "samples", True, detail="load latency")
    return builder.level(4, "faults", True).level(5, "pages", True).threads(threads)


def homed(builder: RecordingBuilder, samples: list[int], address: int = ARRAY, line: Line = ALLOC) -> int:
    """An array of which so many sampled pages are on each node; a thread there fills them."""
    block = builder.block(builder.object("heap", builder.stack(builder.place(line))), address, PAGES)
    pages, homes = PAGES // sum(samples), [node for node, count in enumerate(samples) for _ in range(count)]
    for number, home in enumerate(homes):
        where = {"address": address + number * pages * PAGE, "page_node": home, "block": block}
        builder.sample(FIRST_TOUCH, home * 8 // len(samples) + 1, init_stack(builder), pages, **where)
    return block


def use_blocks(
    builder: RecordingBuilder,
    block: int | None,
    homes: list[int],
    address: int = ARRAY,
    line: Line = LOOP,
    *,
    every: int = 16,
) -> None:
    """Every thread its own part, a load of every so many pages; homes: the node of each part."""
    stack = builder.stack(builder.place(line))
    for thread in range(8):
        start = address + thread * BLOCK * PAGE
        builder.loads(stack, thread + 1, range(start, start + BLOCK * PAGE, every * PAGE), homes[thread], block=block)


def use_all(builder: RecordingBuilder, block: int, home: int | None, address: int = ARRAY, line: Line = LOOP) -> None:
    """Every thread everywhere; home None: on all nodes by turns."""
    stack, chance = builder.stack(builder.place(line)), random.Random(1)
    for thread in range(8):
        for _ in range(64):
            page = chance.randrange(PAGES)
            where = page // 64 % 2 if home is None else home
            builder.loads(stack, thread + 1, [address + page * PAGE], where, block=block)


def sweep_all(builder: RecordingBuilder, block: int, home: int | None, *, line: Line) -> None:
    """Every thread all over it, from its start to its end; home None: on the nodes of its halves."""
    stack = builder.stack(builder.place(line))
    for thread in range(8):
        pages = range(thread, PAGES - 8, 64)
        for half in range(2):
            mine = [ARRAY + page * PAGE for page in pages if page * 2 // PAGES == half]
            builder.loads(stack, thread + 1, mine, half if home is None else home, block=block)
