-- Brings the tables up to date with an audit, whose id is the parameter of each.
INSERT INTO nodes (name, first, last)
  SELECT name, ?1, ?1 FROM now_nodes WHERE true
  ON CONFLICT (name) DO UPDATE SET last = ?1;

-- An audit that finds no difference by policy, which follows a slash, knows nothing of the policy.
UPDATE holdings SET until = ?1
  WHERE until IS NULL AND node IN (SELECT id FROM nodes WHERE last = ?1)
    AND NOT EXISTS (
      SELECT 1 FROM now_holdings n JOIN nodes o ON o.name = n.name
      WHERE o.id = holdings.node AND n.kernel = holdings.kernel AND n.digest = holdings.digest)
    AND NOT (
      instr(holdings.digest, '/') > 0
      AND EXISTS (
        SELECT 1 FROM now_holdings n JOIN nodes o ON o.name = n.name
        WHERE o.id = holdings.node AND n.kernel = holdings.kernel
          AND n.digest = substr(holdings.digest, 1, instr(holdings.digest, '/') - 1))
      AND NOT EXISTS (
        SELECT 1 FROM now_holdings n JOIN nodes o ON o.name = n.name
        WHERE o.id = holdings.node AND n.kernel = holdings.kernel AND instr(n.digest, '/') > 0
          AND substr(n.digest, 1, instr(n.digest, '/'))
            = substr(holdings.digest, 1, instr(holdings.digest, '/'))));

INSERT INTO holdings (node, kernel, digest, since)
  SELECT o.id, n.kernel, n.digest, ?1 FROM now_holdings n JOIN nodes o ON o.name = n.name
  WHERE NOT EXISTS (
    SELECT 1 FROM holdings h
    WHERE h.node = o.id AND h.until IS NULL AND h.kernel = n.kernel AND h.digest = n.digest);

UPDATE faults SET until = ?1
  WHERE until IS NULL AND digest IN (SELECT digest FROM now_sets)
    AND (target = '' OR target IN (SELECT label FROM now_targets))
    AND NOT EXISTS (
      SELECT 1 FROM now_faults n
      WHERE n.digest = faults.digest AND n.target = faults.target AND n.module = faults.module
        AND n.id = faults.id);

INSERT INTO faults (digest, target, module, what, since, id)
  SELECT n.digest, n.target, n.module, n.what, ?1, n.id FROM now_faults n
  WHERE NOT EXISTS (
    SELECT 1 FROM faults f
    WHERE f.digest = n.digest AND f.until IS NULL AND f.target = n.target
      AND f.module = n.module AND f.id = n.id);

-- Libraries, which are of no kernel, are known of the nodes that report of them.
UPDATE running SET until = ?1
  WHERE until IS NULL AND node IN (SELECT id FROM nodes WHERE last = ?1)
    AND (kernel <> ''
      OR node IN (SELECT o.id FROM now_checked c JOIN nodes o ON o.name = c.name))
    AND NOT EXISTS (
      SELECT 1 FROM now_running n JOIN nodes o ON o.name = n.name
      WHERE o.id = running.node AND n.kernel = running.kernel AND n.module = running.module
        AND n.id = running.id);

INSERT INTO running (node, kernel, module, what, since, id)
  SELECT o.id, n.kernel, n.module, n.what, ?1, n.id
  FROM now_running n JOIN nodes o ON o.name = n.name
  WHERE NOT EXISTS (
    SELECT 1 FROM running r
    WHERE r.node = o.id AND r.until IS NULL AND r.kernel = n.kernel AND r.module = n.module
      AND r.id = n.id);
