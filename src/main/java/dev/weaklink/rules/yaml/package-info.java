/**
 * Reads rule files. The input is the program's own files and the files of a site in {@code /etc/weaklink}. The result
 * is either {@link dev.weaklink.rules.Rules} or a list of problems with file, line and column. Open
 * {@link dev.weaklink.rules.yaml.RulesReader} first. {@code RuleFileParser} is the table of all keys.
 * {@code RuleSection} reads the keys of one YAML mapping, with the functions in {@code Values}. A file with any problem
 * makes the whole result invalid.
 */
@NullMarked
package dev.weaklink.rules.yaml;

import org.jspecify.annotations.NullMarked;
