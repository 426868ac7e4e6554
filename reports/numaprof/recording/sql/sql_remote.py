# SPDX-License-Identifier: Apache-2.0
"""SQL for what is remote: the only definition. All other queries read the columns `remote` and `surely_remote`.

Between packages the CPU's word decides: the page may have moved since. Within a package of several nodes the page's
node decides: there the CPU's "local" may mean the package. Nodes that share memory controllers count as one.
"""

from __future__ import annotations

from numaprof.recording.codes import Source

# From here on the recording's nodes are those of :merged, a JSON object, by node; all others stay.
MERGED_NODES = (
    "CREATE TEMP TABLE merged_node (node INTEGER PRIMARY KEY, one INTEGER NOT NULL)",
    "INSERT INTO merged_node SELECT CAST(key AS INTEGER), value FROM json_each(:merged)",
)


def _one(node: str) -> str:
    return f"ifnull((SELECT one FROM merged_node WHERE node = {node}), {node})"


# Temporary views stand before the tables of the same name.
MERGED_VIEWS = (
    f"""
    CREATE TEMP VIEW node AS
    SELECT {_one("t.id")} AS id, sum(mem_bytes) AS mem_bytes, sum(free_bytes) AS free_bytes, max(allowed) AS allowed
      FROM main.node t GROUP BY 1
    """,
    f"""
    CREATE TEMP VIEW cpu AS
    SELECT id, {_one("t.node")} AS node, package, core, thread, online, allowed FROM main.cpu t
    """,
    f"""
    CREATE TEMP VIEW distance AS
    SELECT {_one("t.from_node")} AS from_node, {_one("t.to_node")} AS to_node, min(firmware) AS firmware,
           avg(latency_ns) AS latency_ns, avg(read_bytes_per_s) AS read_bytes_per_s
      FROM main.distance t GROUP BY 1, 2
    """,
    f"""
    CREATE TEMP VIEW sample AS
    SELECT id, kind, event, t_ns, thread, cpu, weight, stack, address, block, {_one("t.page_node")} AS page_node,
           source, latency
      FROM main.sample t
    """,
    f"""
    CREATE TEMP VIEW page_home AS
    SELECT snapshot, address, pages, span, {_one("t.node")} AS node FROM main.page_home t
    """,
)
MERGED_MEMORY = f"""
CREATE TEMP VIEW node_memory AS
SELECT {_one("t.node")} AS node, min(memory) AS memory FROM main.node_memory t GROUP BY 1
"""

# Nodes of packages that have several. near: itself; of memory without CPUs (HBM) the node whose CPUs are nearest.
# told: 0 where nothing tells whether the package's nodes have memory controllers of their own.
NODE_PLACES = (
    "CREATE TEMP TABLE node_place (node INTEGER PRIMARY KEY, package INTEGER, near INTEGER, told INTEGER)",
    """
    INSERT INTO node_place
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
           json_extract(value, '$[3]')
      FROM json_each(:places)
    """,
    "CREATE TEMP TABLE slow_node (node INTEGER PRIMARY KEY)",
    "INSERT INTO slow_node SELECT value FROM json_each(:slow_nodes)",
)

# Samples with the node of their CPU. Where no source was recorded, an access to a page of a slow tier is one to the
# slow tier, not a remote one. remote: 1, 0, or NULL: not known. Where nothing tells whether two nodes have memory
# controllers of their own, it is as if they had, and surely_remote as if they had not.
# A view has no parameters.
_SLOW, _LOCAL, _REMOTE = int(Source.SLOW_TIER), int(Source.LOCAL_DRAM), int(Source.REMOTE_DRAM)
_SOURCE = f"CASE WHEN s.source IS NULL AND slow.node IS NOT NULL THEN {_SLOW} ELSE s.source END"


def _remote(within: str) -> str:
    return f"""
       CASE WHEN {_SOURCE} = {_SLOW} THEN NULL
            WHEN n.package = p.package THEN {within}
            WHEN s.source = {_LOCAL} THEN CASE WHEN n.package IS NULL THEN 0 END
            WHEN s.source = {_REMOTE} THEN 1
            ELSE c.node <> s.page_node END"""


ANSWERED = f"""
CREATE TEMP VIEW answered AS
SELECT s.id, s.kind, s.event, s.t_ns, s.thread, s.cpu, s.weight, s.stack, s.address, s.block, s.page_node, s.latency,
       c.node, {_SOURCE} AS source,
       {_remote("n.near <> p.near")} AS remote,
       {_remote("n.told AND n.near <> p.near")} AS surely_remote
  FROM sample s
  LEFT JOIN cpu c ON c.id = s.cpu
  LEFT JOIN node_place n ON n.node = c.node
  LEFT JOIN node_place p ON p.node = s.page_node
  LEFT JOIN slow_node slow ON slow.node = s.page_node
"""
