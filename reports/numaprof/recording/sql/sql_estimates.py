# SPDX-License-Identifier: Apache-2.0
"""SQL that estimates what multiplexed events would have counted, and the error of that: docs/errors.md.

A scope is a thread, or a CPU whose threads were not told apart. Its intervals are joined to blocks until the event
had a counter for long enough; the event's rate in a block is taken for all of the block's size: a separate ratio
estimator (Cochran, Sampling Techniques, 3rd ed., 6.10). Size is instructions where they are known in and out of the
group, else CPU time. Half the mean squared difference of successive rates estimates their variance (Wolter,
Introduction to Variance Estimation, 2nd ed., 8.2); it is never smaller than that of independent events (Poisson).
"""

from __future__ import annotations

from typing import NamedTuple


class HasWork(NamedTuple):
    found: int


# Recordings that were made before instructions were counted lack the column.
HAS_WORK = "SELECT count(*) FROM pragma_table_info('count') WHERE name = 'work'"

# A block ends once its event had a counter for this part of what it has in an interval on average.
LEAST = 0.5


# Blocks of a scope at most: the rate of a short block is that of one slice of time, and a ratio of few slices is
# biased where work is uneven (5 % with 128 blocks in 2 s of simulated bursts, 2 % with 32); more would make the error
# no surer.
MOST = 32


def steps(work: bool) -> tuple[str, ...]:
    """Make the temporary table `rated`. work: the table `count` has that column.

    Values: :events and :clocks, JSON arrays of event ids; :by_work, 1 to scale by instructions where they are known.
    """
    column = "work" if work else "NULL"
    pace, blocks = _PACE.format(work=column), _BLOCKS.format(work=column, least=LEAST)
    return _SPAN.format(most=MOST), pace, _PACE_INDEX, blocks, _RATED


# When a scope ran, and the length of the intervals that it is looked at in.
_SPAN = """
CREATE TEMP TABLE span AS
SELECT ifnull(thread, -1 - cpu) AS scope, min(t_ns) AS first, max(1, (max(t_ns) - min(t_ns)) / {most}) AS step
  FROM count WHERE event IN (SELECT value FROM json_each(:clocks)) AND ifnull(thread, cpu) IS NOT NULL
 GROUP BY scope
"""

# The sizes of each interval of a scope.
_PACE = """
CREATE TEMP TABLE pace AS
SELECT scope, (t_ns - first) / step AS at, sum(value) AS ran, sum({work}) AS work,
       count({work}) = count(*) AS has_work
  FROM count JOIN span ON scope = ifnull(thread, -1 - cpu)
 WHERE event IN (SELECT value FROM json_each(:clocks))
 GROUP BY scope, at
"""

_PACE_INDEX = "CREATE INDEX pace_at ON pace (scope, at)"

_BLOCKS = """
CREATE TEMP TABLE estimated_block AS
WITH told AS (
    SELECT scope, event, (t_ns - first) / step AS at, sum(value) AS value, sum(running_ns) AS running,
           sum({work}) AS work, count({work}) = count(*) AS has_work
      FROM count JOIN span ON scope = ifnull(thread, -1 - cpu)
     WHERE event IN (SELECT value FROM json_each(:events))
     GROUP BY scope, event, at
), counted AS ( -- timers tell of an event and of the clock at different times: what came before the clock goes with it
    SELECT scope, event, sum(value) AS value, sum(running) AS running, sum(work) AS work, min(has_work) AS has_work,
           ifnull((SELECT min(p.at) FROM pace p WHERE p.scope = told.scope AND p.at >= told.at),
                  (SELECT max(p.at) FROM pace p WHERE p.scope = told.scope)) AS at
      FROM told GROUP BY scope, event, 7
), known AS (
    SELECT scope, min(has_work) AS has_work FROM pace GROUP BY scope
), whole AS (
    SELECT scope, event, sum(running) AS running, {least} * sum(running) / sum(running > 0) AS least,
           :by_work AND min(counted.has_work) AND sum(work) > 0 AND known.has_work AS by_work
      FROM counted JOIN known USING (scope) GROUP BY scope, event HAVING sum(running) > 0
), interval AS (
    SELECT scope, event, at, ifnull(c.value, 0) AS value, ifnull(c.running, 0) AS running,
           whole.running AS all_running, least, by_work,
           CASE WHEN by_work THEN ifnull(c.work, 0) ELSE ifnull(c.running, 0) END AS seen,
           CASE WHEN by_work THEN pace.work ELSE pace.ran END AS size
      FROM whole JOIN pace USING (scope) LEFT JOIN counted c USING (scope, event, at)
), placed AS (
    SELECT *, sum(running) OVER (PARTITION BY scope, event ORDER BY at) - running AS before FROM interval
), numbered AS ( -- what is left at the end and too little for a block goes to the last one
    SELECT *, CAST(min(before, max(before) FILTER (WHERE all_running - before >= least) OVER whole) / least AS INTEGER)
              AS block
      FROM placed WINDOW whole AS (PARTITION BY scope, event)
)
SELECT scope, event, by_work, block, sum(value) AS value, sum(seen) AS seen, sum(size) AS size
  FROM numbered GROUP BY scope, event, block
"""

# weight: what the variance of a rate adds to that of the total, per unit; with the finite population factor.
# Clocks are read one after the other, so that a little more may have been seen than there was.
_RATED = """
CREATE TEMP TABLE rated AS
SELECT *, rate - lag(rate) OVER blocks AS from_last, lead(rate) OVER blocks - rate AS to_next
  FROM (SELECT *, 1.0 * value / nullif(seen, 0) AS rate, 1.0 * size * max(0, size - seen) AS weight
          FROM estimated_block)
WINDOW blocks AS (PARTITION BY scope, event ORDER BY block)
"""


class Estimate(NamedTuple):
    scope: int  # a thread's id, or -1 - CPU
    event: int
    by_work: int  # scaled by instructions, not by time
    total: float
    variance: float | None  # None: one block tells nothing of its variance
    rate: float  # mean, of the size
    size: float
    seen: float
    blocks: int
    effective: float | None  # blocks of equal weight that would tell as much; None: nothing was left unseen


_MEAN_OF_BOTH = """
0.5 * (ifnull({a}from_last * {b}from_last, 0) + ifnull({a}to_next * {b}to_next, 0))
    / nullif(({a}from_last IS NOT NULL) + ({a}to_next IS NOT NULL), 0)"""

ESTIMATES = f"""
SELECT scope, event, max(by_work), sum(ifnull(size * rate, value)) AS total,
       max(sum(weight * {_MEAN_OF_BOTH.format(a="", b="")}), sum(weight * value / (1.0 * seen * seen))),
       1.0 * sum(value) / max(1, sum(seen)), 1.0 * sum(size), 1.0 * sum(seen), count(*),
       sum(weight) * sum(weight) / nullif(sum(weight * weight), 0)
  FROM rated GROUP BY scope, event
"""


class Covariance(NamedTuple):
    scope: int
    first: int
    second: int  # larger than first
    covariance: float | None


# Of events in one group, which saw the same slices. Events of different groups are taken as independent.
COVARIANCES = f"""
SELECT a.scope, a.event, b.event, sum(a.weight * {_MEAN_OF_BOTH.format(a="a.", b="b.")})
  FROM rated a JOIN rated b ON b.scope = a.scope AND b.block = a.block AND b.event > a.event
 GROUP BY a.scope, a.event, b.event HAVING min(a.seen = b.seen AND a.size = b.size) = 1 AND max(a.weight) > 0
"""
