-- Knows again what was wrong before: what has no id yet gets that of what has its words, then words
-- become those of now.
UPDATE faults SET id = (
    SELECT n.id FROM now_faults n
    WHERE n.digest = faults.digest AND n.target = faults.target AND n.module = faults.module
      AND n.what = faults.what LIMIT 1)
  WHERE until IS NULL AND id IS NULL AND EXISTS (
    SELECT 1 FROM now_faults n
    WHERE n.digest = faults.digest AND n.target = faults.target AND n.module = faults.module
      AND n.what = faults.what);

UPDATE faults SET what = (
    SELECT n.what FROM now_faults n
    WHERE n.digest = faults.digest AND n.target = faults.target AND n.module = faults.module
      AND n.id = faults.id)
  WHERE until IS NULL AND EXISTS (
    SELECT 1 FROM now_faults n
    WHERE n.digest = faults.digest AND n.target = faults.target AND n.module = faults.module
      AND n.id = faults.id AND n.what <> faults.what);

UPDATE running SET id = (
    SELECT n.id FROM now_running n JOIN nodes o ON o.name = n.name
    WHERE o.id = running.node AND n.kernel = running.kernel AND n.module = running.module
      AND n.what = running.what LIMIT 1)
  WHERE until IS NULL AND id IS NULL AND EXISTS (
    SELECT 1 FROM now_running n JOIN nodes o ON o.name = n.name
    WHERE o.id = running.node AND n.kernel = running.kernel AND n.module = running.module
      AND n.what = running.what);

UPDATE running SET what = (
    SELECT n.what FROM now_running n JOIN nodes o ON o.name = n.name
    WHERE o.id = running.node AND n.kernel = running.kernel AND n.module = running.module
      AND n.id = running.id)
  WHERE until IS NULL AND EXISTS (
    SELECT 1 FROM now_running n JOIN nodes o ON o.name = n.name
    WHERE o.id = running.node AND n.kernel = running.kernel AND n.module = running.module
      AND n.id = running.id AND n.what <> running.what);
