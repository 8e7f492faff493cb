package dev.weaklink.kernel;

import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.json.JsonTree;
import dev.weaklink.sys.UnreadableException;
import java.util.EnumMap;
import java.util.Map;

/** A loader's rules as JSON: by the key of each its value, whether that is assumed, and why. */
public final class LoaderRulesJson {
    private LoaderRulesJson() {}

    /** All rules, to be written. */
    public static Map<String, Object> of(LoaderRules rules) {
        Map<String, Object> json = object();
        for (LoaderRule rule : LoaderRule.values()) {
            LoaderRules.Setting setting = rules.setting(rule);
            json.put(
                    rule.id(),
                    object(
                            "value", setting.value(),
                            "assumed", setting.assumed(),
                            "evidence", setting.evidence()));
        }
        return json;
    }

    /** The rules that were written; there may be more by now. */
    public static Map<LoaderRule, LoaderRules.Setting> read(JsonTree json) throws UnreadableException {
        Map<LoaderRule, LoaderRules.Setting> rules = new EnumMap<>(LoaderRule.class);
        for (LoaderRule rule : LoaderRule.values()) {
            if (json.has(rule.id())) {
                JsonTree setting = json.object(rule.id());
                String value = setting.require("value");
                if (!rule.accepts(value)) {
                    throw new UnreadableException("has an invalid value of " + rule.id());
                }
                rules.put(rule, new LoaderRules.Setting(value, setting.isTrue("assumed"), setting.require("evidence")));
            }
        }
        return rules;
    }
}
