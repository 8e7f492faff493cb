-- What one audit found: temporary tables, which live as long as the connection.
CREATE TEMP TABLE IF NOT EXISTS now_nodes (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS now_sets (digest TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS now_targets (label TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS now_holdings (
  name TEXT, kernel TEXT, digest TEXT, PRIMARY KEY (name, kernel, digest)) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS now_faults (
  digest TEXT, target TEXT, module TEXT, id TEXT, what TEXT,
  PRIMARY KEY (digest, target, module, id)) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS now_checked (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS now_running (
  name TEXT, kernel TEXT, module TEXT, id TEXT, what TEXT,
  PRIMARY KEY (name, kernel, module, id)) WITHOUT ROWID;
DELETE FROM now_nodes;
DELETE FROM now_sets;
DELETE FROM now_targets;
DELETE FROM now_holdings;
DELETE FROM now_faults;
DELETE FROM now_checked;
DELETE FROM now_running;
