-- What a node has and what is wrong is kept with the audit that found it first (since) and the one
-- that found it gone (until, null while it lasts). What is wrong with a set of modules is kept
-- once, for all nodes that have it. What is wrong is known again by its id, of its kind and what
-- it is about, while its words may change.
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, nodes INTEGER NOT NULL,
  broken INTEGER NOT NULL, problems INTEGER NOT NULL);

CREATE TABLE kernels (
  run INTEGER NOT NULL REFERENCES runs, place INTEGER NOT NULL, label TEXT NOT NULL,
  safe INTEGER NOT NULL, unsafe TEXT NOT NULL, unknown TEXT NOT NULL,
  PRIMARY KEY (run, place)) WITHOUT ROWID;

CREATE TABLE groups (
  run INTEGER NOT NULL REFERENCES runs, place INTEGER NOT NULL, kernel TEXT NOT NULL,
  digest TEXT NOT NULL, nodes TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (run, place)) WITHOUT ROWID;

CREATE TABLE nodes (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, first INTEGER NOT NULL,
  last INTEGER NOT NULL);

CREATE TABLE holdings (
  node INTEGER NOT NULL REFERENCES nodes, kernel TEXT NOT NULL, digest TEXT NOT NULL,
  since INTEGER NOT NULL, until INTEGER);

CREATE INDEX holdings_of ON holdings (node, until);

CREATE TABLE faults (
  digest TEXT NOT NULL, target TEXT NOT NULL, module TEXT NOT NULL, what TEXT NOT NULL,
  since INTEGER NOT NULL, until INTEGER, id TEXT);

CREATE INDEX faults_of ON faults (digest, until);

CREATE TABLE running (
  node INTEGER NOT NULL REFERENCES nodes, kernel TEXT NOT NULL, module TEXT NOT NULL,
  what TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER, id TEXT);

CREATE INDEX running_of ON running (node, until);
