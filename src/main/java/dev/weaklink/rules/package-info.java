/**
 * The rules of the program and of a site, which add to the decisions of the kernel's loader. Rules define products,
 * leave modules out of plans, prescribe the build or the links of a module, and forbid links. Open
 * {@link dev.weaklink.rules.Rules} first: it returns the decision for a module, unit and kernel. A unit is a set of
 * modules that were installed together, by one package or in one directory, or a single module. Most decisions are
 * {@link dev.weaklink.rules.Attributed} values, which name the file and line of their rule.
 * {@link dev.weaklink.rules.RulesTable} and {@link dev.weaklink.rules.RuleExplanation} render rules for people. The
 * package reads no files; {@code dev.weaklink.rules.yaml} does.
 */
@NullMarked
package dev.weaklink.rules;

import org.jspecify.annotations.NullMarked;
