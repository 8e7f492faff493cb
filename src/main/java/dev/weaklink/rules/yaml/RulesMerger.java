package dev.weaklink.rules.yaml;

import dev.weaklink.rules.FindingRule;
import dev.weaklink.rules.Pin;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.Recognition;
import dev.weaklink.rules.Rule;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.SymbolRule;
import dev.weaklink.rules.UndeterminedPolicy;
import dev.weaklink.sys.Similar;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Puts files together. A later file decides before an earlier one: its rules are asked first, its
 * products are tried first, and what it says about a product is in place of what was said.
 */
final class RulesMerger {
  private final Map<String, ProductDraft> drafts = new LinkedHashMap<>();

  /** The ids of products in the order in which they are tried. */
  private final List<String> order = new ArrayList<>();

  private final List<Rule<Boolean>> ignored = new ArrayList<>();
  private final List<Rule<Pin>> pins = new ArrayList<>();
  private final List<Rule<UndeterminedPolicy>> undetermined = new ArrayList<>();
  private final List<SymbolRule> symbols = new ArrayList<>();
  private final List<FindingRule> findings = new ArrayList<>();

  /** Adds a file that is later than all before. */
  void add(RuleFile file) {
    List<String> recognised = new ArrayList<>();
    for (ProductDraft product : file.products()) {
      drafts.put(product.id(), product.over(drafts.get(product.id())));
      if (product.recognition() != null) {
        recognised.add(product.id());
      }
    }
    order.removeAll(recognised);
    order.addAll(0, recognised);
    ignored.addAll(0, file.ignored());
    pins.addAll(0, file.pins());
    undetermined.addAll(0, file.undetermined());
    symbols.addAll(0, file.symbols());
    findings.addAll(0, file.findings());
  }

  /** What is wrong with all files together. */
  List<RuleProblem> problems() {
    List<RuleProblem> problems = new ArrayList<>();
    for (ProductDraft draft : drafts.values()) {
      if (!isGeneric(draft) && isUnrecognisable(draft.recognition())) {
        problems.add(
            new RuleProblem(
                draft.file(),
                draft.at().line(),
                draft.at().column(),
                "no rule says how to recognise product '" + draft.id() + "'" + advice(draft.id())));
      }
    }
    return problems;
  }

  private static boolean isGeneric(ProductDraft draft) {
    return draft.id().equals(Product.GENERIC);
  }

  private static boolean isUnrecognisable(@Nullable Recognition recognition) {
    return recognition == null || recognition.isEmpty();
  }

  private String advice(String id) {
    List<String> others = new ArrayList<>(drafts.keySet());
    others.remove(id);
    String suggestion = Similar.nearest(id, others);
    return suggestion.isEmpty() ? "; give it 'recognise'" : suggestion;
  }

  /** The rules, if there are no problems. */
  Rules rules() {
    ProductDraft common = drafts.get(Product.GENERIC);
    Product generic = common == null ? Product.DEFAULT : common.inheriting(Product.DEFAULT);
    return new Rules(products(generic), generic, ignored, pins, undetermined, symbols, findings);
  }

  private List<Product> products(Product generic) {
    List<Product> products = new ArrayList<>();
    for (String id : order) {
      ProductDraft draft = drafts.get(id);
      if (draft != null) {
        products.add(draft.inheriting(generic));
      }
    }
    return products;
  }
}
