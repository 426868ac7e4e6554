# SPDX-License-Identifier: Apache-2.0
"""The thresholds of the report, each with the reason for its value."""

# Pinned threads that wait for their CPU a larger part of the time in which they could run are slower by the pin: below
# it the wait is that of any machine with other programs, and no larger than the gain that pinning promises.
WAITS_FOR_CPU = 0.10

# --- What is enough to say something -------------------------------------------------------------------------------

# Below this share of a thread's CPU time a phase that took a tenth of the run may have been missed altogether.
MIN_COVERAGE = 0.10

# Counted for longer than this: printed as counted. The last per cent is what starting and stopping an event takes.
FULL_COVERAGE = 0.99

# CPU time without counters that is less than this part of all does not change a share by a printed digit: each thread
# has some before it is known.
MIN_UNCOUNTED = 0.005

# A second without counters may have so many times the requests of a counted second of the busiest thread: threads have
# phases, and no interrupt of a sample holds them up (docs/errors.md).
MOST_BUSIER = 2.0

# Where more of the time had none, what was counted does not speak for the rest: nothing is called negligible.
MOST_UNCOUNTED = 0.5

# Parts of a thread's time that must have been counted for these to be its clusters.
MIN_PARTS = 2

# Parts of a run, each of which has one cluster of samples of each thread: with 16 the interval was up to a half wider.
SPELLS = 32

# Threads of fewer parts that tell the error of their sum by the spread of their rates: with fewer, the interval is
# more than twice as wide as with many.
MIN_SPREAD = 4

# Requests that are added to those counted before their variance is taken: where none was seen, 95 % intervals of
# independent requests reach up to 1.96^2 of them (the score interval of a Poisson mean), not to 0.
UNSEEN_REQUESTS = 3.84

# Time in which an event had no counter may be unlike all that it saw. So this part of the square of what it counts in
# a part of its time is added to a count's variance: without it intervals of steady threads of 20 s held the truth in
# 85 % of the cells, with it in 98 % (docs/errors.md).
UNSEEN_PART = 0.1

# A part whose error is not known may be left out of the error of the whole if it is smaller than this.
SMALL_PART = 0.01

# Scopes are in step if their ends are as close as this part of their time: two parts of the 32 that it is divided into.
IN_STEP = 16

# Short threads are no sample of long ones: those that were hardly seen are taken to be like threads of up to so many
# times their time.
MOST_LONGER = 4

# A sum is refused if more than this share of what was counted belongs to threads whose CPU time is not known.
MOST_UNTIMED = 0.05

# A share of n samples is off by up to 1/sqrt(n) (95 %, worst case): 100 samples tell a half from 0.4 or 0.6.
MIN_SAMPLES = 100

# To tell which object most remote accesses go to, fewer do: of 30 a share is off by up to 18 %.
MIN_REMOTE_SAMPLES = 30

# Places are taken from about so many samples of a kind, chosen evenly: a share is then off by up to 0.7 % (95 %, worst
# case), and a recording of any length is read in about a second.
MOST_SAMPLES = 20_000

# Places are told apart up to this number, the rest is "elsewhere": a table shows eight, made of a few addresses each.
MOST_PLACES = 500

# Objects are told apart up to this number, by their share of the samples; a table shows eight.
MOST_OBJECTS = 200

# --- How much is remote --------------------------------------------------------------------------------------------

# At or above: worth fixing; remote-heavy, if the requests are enough to matter (MARKED_PART). A remote read takes 1.5
# to 2 times as long as a local one, so that 10 % remote is 5 to 10 % more time per read; toplev flags remote memory at
# the same 10 %.
REMOTE_HEAVY = 0.10

# Pages left at the last look that are less than this part of those touched do not tell where the memory was.
MOST_FREED = 0.5

# A thread, CPU or node with less than this part of the mean remote requests is not marked, whatever its share: half
# of two requests is nothing to look at.
MARKED_PART = 0.1

# Below: leave it alone. The worked example behind this tool found 4.5 % on one CPU of eight, all of it prefetches
# across the border of two blocks, after a fix that doubled the speed.
REMOTE_LIGHT = 0.05

# --- What a fix can bring -----------------------------------------------------------------------------------------

# What a remote read costs more than a local one where it was not measured (numaprof topology --measure): two-socket
# machines from Opteron to Sapphire Rapids lie between 40 and 80 ns.
REMOTE_EXTRA_NS = 100.0

# A fix that can bring back at most this share of the CPU time is lost in the spread of run times.
MIN_GAIN = 0.01

# Reads that would take more of the CPU time than this, one after the other, did overlap: the sum says nothing then.
MOST_SERIAL_COST = 0.50

# Reads that a core can have under way at once: ten line fill buffers from Nehalem to Broadwell, twelve since Skylake
# (Intel, Optimization Reference Manual). With all in use, waiting divides by so many.
READS_UNDER_WAY = 10.0

# A mean latency of fewer samples is chance: single loads take from 100 to 1000 cycles.
MIN_LATENCIES = 30

# Latencies that differ by less are the same. Reads from a sibling sub-NUMA cluster take 5 to 15 % longer than own ones.
SAME_LATENCY = 0.03

# Nodes of one package that are compared in pairs: the largest EPYC has 32 L3 caches, each of which can be a node.
MOST_PAIRED_NODES = 64

# Emulated time says nothing, so there it is counted: so many remote reads of a thread cost a millisecond in all.
MIN_REMOTE_READS = 10_000

# --- Who touches, who uses -----------------------------------------------------------------------------------------

# "Nearly all". Of a place one thread is "the" initialiser if it touched so much of it: on two nodes with four threads
# each, a parallel initialisation gives each thread an eighth. Memory lies "on one node", and was placed since the
# recorder came, if so much of it does; the start of an object is all that is used of it if that ends before so much of
# all. The rest is what other threads happened to touch first, rounded sizes, and weights that are estimates.
NEARLY_ALL = 0.90

# "Hardly any": so few accesses, or so small a part of an object's bytes, do not speak for the rest. Memory was touched
# from several nodes, and a function reads an object other than by the way, from here on.
HARDLY = 0.05

# "All of it": what is missing would be printed as 100 %.
ALL_OF_IT = 0.995

# Less than this stays in the private caches of every server CPU: half of 256 KiB (Nehalem to Broadwell).
IN_CACHE_BYTES = 128 << 10

# CPU time in which a program that uses memory makes some request to DRAM, be it for the pages of its libraries.
SILENT_NS = 1_000_000_000

# Less than this fits the private caches of one core (1 to 2 MiB since Skylake-SP and Zen 4): DRAM hardly sees it.
MIN_OBJECT_BYTES = 1 << 20

# A place matters if it holds this share of all memory touched.
MIN_OBJECT_SHARE = 0.05

# Advice that removes less of the remote accesses is no fix: a remote share of 48 % became 44 % at best.
MIN_REMOVED = 0.10

# A thread counts as a worker if it used this share of the busiest one's CPU time, and shares the work on an object if
# it makes this share of the busiest one's accesses: leaves helper threads out.
WORKER_TIME = 0.05

# With 16 evenly spread accesses the expected distance of lowest and highest is 15/17, 88 % of what the thread uses.
MIN_USES_OF_THREAD = 16

# One thread "only" if it makes so many of the accesses: what others make is start and end of the run.
ONLY_THREAD = 0.95
# Parts are told apart by so many samples each: by chance one of two nodes makes 64 % of 8.
MIN_SAMPLES_OF_PART = 8
# The steady phase stands for itself if so many accesses were sampled in it.
MIN_PHASE_USES = 64

# First touch did not decide if so much of all memory lies elsewhere than on the node of its first toucher. A policy
# that binds to one of two nodes moves half of what a balanced program touches, one that interleaves likewise.
FORCED = 0.25

# An array grows if so many blocks come one after the other, each larger: by chance one order of 24 has that.
MIN_GROWTH = 4

# A page fault that brings so many pages at once brings a huge page, or a large folio: 256 KiB of 4 KiB pages.
HUGE_FAULT = 64

# One controller serves "nearly all": with two nodes and even work each would serve a half.
ONE_CONTROLLER = 0.80

# Pages that the kernel's balancing moved, in relation to those touched: above it, homes are not what the program made.
BALANCING_MOVED = 0.01

# Shares of all remote lines are not told where more than this part of the lines has no object, or was divided among
# objects by fewer than MIN_REMOTE_SAMPLES (make truth: shares were off by up to 85 points there).
MOST_UNDIVIDED = 0.10

# "Mostly": more than half. A line touches by calling a library if so much is touched there (malloc writes a few words
# beside each block), a verdict names the part that one thread first touched, remote cache lines are mostly dirty. The
# program's main remote line is that of an object which more of the remote lines than this belong to. A policy that
# spreads all memory is to go if so much of them is of memory that it should not spread: it may serve the rest.
MAINLY = 0.5

# Overflow samples speak for an event if they stand for so much of what it counted: a thread's last period leaves none.
SAMPLED_PART = 0.1

# Loads of a function read several objects by turns if one instruction has more than this part of its samples in the
# second of them.
READ_IN_TURNS = 0.1

# An object is hardly seen by load samples if these stand for fewer reads than this part of its lines: in one pass over
# it without a prefetcher they would stand for all.
HARDLY_SAMPLED = 0.25

# An object is read on the readers' own nodes alone if less than this part of so many load samples is of other nodes:
# where none is, the part is below 2 % with a confidence of 95 % (3 / 150).
HARDLY_REMOTE, ENOUGH_TO_BE_NEAR = 0.02, 150
LINE_BYTES = 64  # of x86-64 and Arm servers; where lines are longer, an object passes for hardly seen a little later

# --- Comparing runs ------------------------------------------------------------------------------------------------

# A difference in time is believed if chance would produce one as clear in fewer than this share of cases.
SIGNIFICANCE = 0.05

# Remote shares of two runs of one program differ by some tenths of a per cent (start-up, the kernel's own pages).
SHARE_CHANGE = 0.01

# Stated variation between runs of one program, as a standard deviation: of a remote share, and of a run time as a part
# of it. One run tells nothing of how runs differ, however exact its counts are: threads meet their CPUs and nodes in
# another order. Repeats tell it, but few of them by chance too little: the stated one counts as so many runs.
RUN_VARIATION = 0.02
STATED_RUNS = 4

# --- How much is shown ---------------------------------------------------------------------------------------------

# Every program has some dozen single pages, of its loader and libraries. Shown are places with this share of all memory
# touched, and this much of it.
MIN_SHOWN = 0.005
MIN_SHOWN_BYTES = 64 << 10
MOST_ADVICES = 5
MOST_NOTES = 8

# sweep and policies: slowest less fastest run, as a share of the median, from which on a median misleads. Repeats of a
# memory-bound program on a quiet machine differ by a few per cent.
WILD_SPREAD = 0.2

# Threads for each CPU that a launcher bound a rank to, from which on the binding is the verdict: each waits half the
# time.
CROWDED = 2.0

# A rank stands apart if its remote share is so far from the median of the ranks, and so many robust deviations:
# 3.5 of Iglewicz and Hoaglin, "How to Detect and Handle Outliers" (1993), scaled from the median absolute deviation.
APART_SHARE, APART_DEVIATIONS, DEVIATION_OF_MAD = 0.05, 3.5, 1.4826
MIN_COMPARED_RANKS = 4  # fewer ranks have no middle
