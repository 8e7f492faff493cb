package dev.weaklink.rules.yaml;

import dev.weaklink.rules.FindingRule;
import dev.weaklink.rules.Pin;
import dev.weaklink.rules.Rule;
import dev.weaklink.rules.SymbolRule;
import dev.weaklink.rules.UndeterminedPolicy;
import java.util.List;

/** What one file says, in its order. */
record RuleFile(
    List<ProductDraft> products,
    List<Rule<Boolean>> ignored,
    List<Rule<Pin>> pins,
    List<Rule<UndeterminedPolicy>> undetermined,
    List<SymbolRule> symbols,
    List<FindingRule> findings) {}
