# SPDX-License-Identifier: Apache-2.0
"""The recordings the tests tell: programs with known truth, as a recorder would have seen them."""

from __future__ import annotations

from book import OVERFLOW, PAGE, Book, Line

INIT: Line = ("/home/u/src/sum.c", 17, "main")
LOOP: Line = ("/home/u/src/sum.c", 22, "main._omp_fn.0")
ARRAY = 0x7F0000000000  # 8192 pages, 32 MiB
PAGES = 8192
BLOCK = PAGES // 8


def levels(book: Book, counters: bool = True) -> Book:
    """The evidence levels of a machine with counters, or of a virtual one without."""
    if counters:
        book.level(1, "counters", True, detail="offcore-response")
    else:
        why = "this virtual machine shows no PMU"
        book.level(1, "counters", False, why_not=why, remedy="switch it on in the hypervisor (e.g. -cpu host)")
    return book.level(4, "faults", True, detail="page-faults event").level(5, "pages", True, detail="move_pages")


def init_stack(book: Book) -> int:
    """memset in libc, called by the line of main that the user can edit."""
    libc = book.place(("", 0, "__memset_avx2"), module="/usr/lib/x86_64-linux-gnu/libc.so.6", file=None, line=None)
    return book.stack(libc, book.place(INIT))


def touched_serially(book: Book) -> Book:
    return book.touch(init_stack(book), 1, ARRAY, PAGES, page_node=0).homes((ARRAY, PAGES, 0))


def touched_in_parallel(book: Book) -> Book:
    stack = book.stack(book.place(LOOP))
    for thread in range(8):
        book.touch(stack, thread + 1, ARRAY + thread * BLOCK * PAGE, BLOCK, page_node=thread // 4)
    return book.homes((ARRAY, PAGES // 2, 0), (ARRAY + PAGES // 2 * PAGE, PAGES // 2, 1))


def overflows(book: Book, threads: range, samples: int = 40) -> Book:
    """Samples of remote prefetches, taken in the loop."""
    stack = book.stack(book.place(LOOP))
    for thread in threads:
        for _ in range(samples):
            book.sample(OVERFLOW, thread, stack, 3271, event=4)
    return book


def serial_init(**run: object) -> Book:
    """One thread initialises, eight sum up: node 1 reads everything from node 0."""
    book = levels(Book(**run)).threads(8)
    book.counters("demand_rd", [11] * 4 + [0] * 4, [0] * 4 + [11] * 4)
    book.counters("pf_any", [131_072] * 4 + [0] * 4, [0] * 4 + [131_072] * 4)
    return overflows(touched_serially(book), range(5, 9))


def parallel_init(**run: object) -> Book:
    """The cure: all local, but for prefetches across the border of the nodes' blocks, by the last thread before it."""
    book = levels(Book(**run)).threads(8)
    book.counters("demand_rd", [11] * 8, [0] * 8)
    book.counters("pf_any", [131_072] * 8, [0, 0, 0, 5_900, 0, 0, 0, 0])
    return touched_in_parallel(book)


def faults_only(nodes: int = 2, **run: object) -> Book:
    """No PMU: who touched first is known, who uses it is not."""
    book = levels(Book(nodes=nodes, cpus_per_node=8 // nodes, **run), counters=False).threads(8)
    return touched_serially(book)


def hinted(**run: object) -> Book:
    """No PMU, but automatic NUMA balancing samples accesses: each thread uses its own block."""
    book = levels(Book(**{"balancing": 1, **run}), counters=False).threads(8)
    touched_serially(book)
    stack = book.stack(book.place(LOOP))
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        book.hints(stack, thread + 1, range(start, start + BLOCK * PAGE, 32 * PAGE), page_node=0)
    return book


def hinted_by_all(**run: object) -> Book:
    """As before, but every thread uses all of it."""
    book = levels(Book(**{"balancing": 1, **run}), counters=False).threads(8)
    touched_serially(book)
    stack = book.stack(book.place(LOOP))
    for thread in range(8):
        start = ARRAY + thread * PAGE
        book.hints(stack, thread + 1, range(start, start + (PAGES - 8) * PAGE, 256 * PAGE), page_node=0)
    return book


def named_objects(**run: object) -> Book:
    """No counters, but sampled loads: an array whose blocks are used by their threads, and a table that all use."""
    book = Book(**run).level(1, "counters", False, why_not="test").level(3, "samples", True, detail="load latency")
    book.level(4, "faults", True, detail="page-faults event").level(5, "pages", True, detail="move_pages").threads(8)
    array = book.block(book.object("heap", book.stack(book.place(("/home/u/src/sum.c", 14, "main")))), ARRAY, PAGES)
    table = book.block(book.object("static", name="table"), ARRAY + (1 << 32), BLOCK)
    book.touch(init_stack(book), 1, ARRAY, PAGES, page_node=0, block=array)
    book.touch(init_stack(book), 1, ARRAY + (1 << 32), BLOCK, page_node=0, block=table)
    loop, look_up = book.stack(book.place(LOOP)), book.stack(book.place(("/home/u/src/sum.c", 30, "look_up")))
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        book.loads(loop, thread + 1, range(start, start + BLOCK * PAGE, 16 * PAGE), 0, block=array)
        start = ARRAY + (1 << 32) + thread * PAGE
        book.loads(look_up, thread + 1, range(start, start + (BLOCK - 8) * PAGE, 64 * PAGE), 0, block=table)
    return book


def slow_tier(**run: object) -> Book:
    """An array on node 2, memory behind CXL without CPUs: thread 0 touches it first, all read their parts of it."""
    book = levels(Book(**run), counters=False).threads(8)
    book.row("node", id=2, mem_bytes=64 << 30, free_bytes=60 << 30, allowed=1)
    for node, memory in enumerate(("DRAM", "DRAM", "CXL")):
        book.row("node_memory", node=node, memory=memory)
    book.touch(init_stack(book), 1, ARRAY, PAGES, page_node=2).homes((ARRAY, PAGES, 2))
    loop = book.stack(book.place(LOOP))
    for thread in range(8):
        start = ARRAY + thread * BLOCK * PAGE
        book.loads(loop, thread + 1, range(start, start + BLOCK * PAGE, 32 * PAGE), 2, source=8)
        book.hints(loop, thread + 1, range(start, start + BLOCK * PAGE, 64 * PAGE), page_node=2)
    return book


def all_read_all(**run: object) -> Book:
    """Initialised in parallel, then every thread reads everything: half of it is remote, whoever initialises."""
    book = levels(Book(**run)).threads(8)
    book.counters("demand_rd", [2_000] * 8, [2_000] * 8)
    book.counters("pf_any", [500_000] * 8, [500_000] * 8)
    return touched_in_parallel(book)


def little_traffic(**run: object) -> Book:
    """Computes in its caches. What little it reads is half remote."""
    book = levels(Book(**run)).threads(8)
    book.counters("demand_rd", [300] * 4 + [0] * 4, [0] * 4 + [300] * 4)
    return book.counters("pf_any", [100] * 8, [100] * 8)


def one_node_plan(**run: object) -> Book:
    """Four threads, packed onto the first node of two."""
    book = levels(Book(**run)).threads(4)
    book.counters("demand_rd", [11] * 4, [0] * 4).counters("pf_any", [262_144] * 4, [0] * 4)
    return book.touch(init_stack(book), 1, ARRAY, PAGES, page_node=0).homes((ARRAY, PAGES, 0))


def multiplexed(share: float = 1 / 3, **run: object) -> Book:
    """Three classes take turns on one register pair."""
    book = levels(Book(**run)).threads(8)
    for request, count in (("demand_rd", 10_000), ("demand_rfo", 5_000), ("pf_any", 40_000)):
        book.counters(request, [count] * 4 + [0] * 4, [0] * 4 + [count] * 4, share)
    return touched_serially(book)


def wandering(**run: object) -> Book:
    """Nobody pins; thread 0 touched its memory on node 0, was moved to node 1 and reads it from there."""
    book = levels(Book(**{"pin_policy": "none", **run}))
    for number in range(2):
        book.thread(name="app", tid=4711 + number, pin="none", migrations=3)
    clock = book.event("time", "")
    events = [book.event("demand_rd", side) for side in ("local_dram", "remote_dram")]
    for thread, cpu, values in ((1, 4, (1_000, 200_000)), (2, 5, (200_000, 0))):
        book.count(clock, thread, 50_000_000, cpu=cpu)
        for event, value in zip(events, values):
            book.count(event, thread, value, cpu=cpu)
    book.touch(init_stack(book), 1, ARRAY, PAGES // 2, page_node=0, cpu=0)
    book.touch(init_stack(book), 2, ARRAY + PAGES // 2 * PAGE, PAGES // 2, page_node=1, cpu=5)
    return book


def many_threads(count: int = 200, **run: object) -> Book:
    """More threads than a screen has lines; every eighth is remote-heavy."""
    book = levels(Book(cpus_per_node=count // 2, **run)).threads(count, name="worker")
    remote = [90_000 if thread % 8 == 0 else 100 for thread in range(count)]
    book.counters("demand_rd", [100_000] * count, remote)
    return book


def hostile(**run: object) -> Book:
    """Names that try to be something else."""
    nasty = "\x1b[2J[red]sum[/red]\n\u202egnp.exe"
    command = '["./sum\\u001b]0;owned\\u0007", "a b", "[link=file:///etc/passwd]x[/link]"]'
    book = levels(Book(**{"command": command, "host": nasty, "emulated": nasty, **run}))
    book.threads(7, name=nasty)
    book.threads(1, name=b"\xff\xfe\x9b31m")
    book.counters("demand_rd", [100_000] * 8, [0] * 4 + [100_000] * 4)
    place = book.place((f"/home/u/{nasty}.c", 7, nasty), module=f"/home/u/{nasty}")
    book.touch(book.stack(place), 1, ARRAY, PAGES, page_node=0).homes((ARRAY, PAGES, 0))
    return book.note("lost", nasty, value=12, remedy=nasty)


def no_threads(**run: object) -> Book:
    """The program ended before any thread of it was seen."""
    return levels(Book(**{"exit_status": 3, **run}), counters=False)


def killed_recorder(**run: object) -> Book:
    """What is left when the recorder dies: no sums, no end."""
    return serial_init(**{"complete": 0, "wall_ns": None, "exit_status": None, "tool_cpu_ns": None, **run})


STORIES = {
    story.__name__: story
    for story in (
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
        slow_tier,
    )
}
STORIES["one_node_machine"] = lambda **run: faults_only(nodes=1, **run)
STORIES["emulated"] = lambda **run: serial_init(emulated="two-nodes", **run)
