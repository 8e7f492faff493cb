package dev.weaklink.kernel;

import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.json.JsonTree;
import dev.weaklink.sys.UnreadableException;
import java.util.EnumMap;
import java.util.Map;

/** Writes and reads a loader's rules as JSON. Each rule's key maps to the value, the assumed flag and the evidence. */
public final class LoaderBehaviorJson {
    private LoaderBehaviorJson() {}

    public static Map<String, Object> of(LoaderBehavior rules) {
        Map<String, Object> json = object();
        for (LoaderRule rule : LoaderRule.values()) {
            LoaderBehavior.Setting setting = rules.setting(rule);
            json.put(
                    rule.id(),
                    object(
                            "value", setting.value(),
                            "assumed", setting.assumed(),
                            "evidence", setting.evidence()));
        }
        return json;
    }

    /** Reads rules that {@link #of} wrote. The map lacks rules that did not exist when the JSON was written. */
    public static Map<LoaderRule, LoaderBehavior.Setting> read(JsonTree json) throws UnreadableException {
        Map<LoaderRule, LoaderBehavior.Setting> rules = new EnumMap<>(LoaderRule.class);
        for (LoaderRule rule : LoaderRule.values()) {
            if (json.has(rule.id())) {
                JsonTree setting = json.object(rule.id());
                String value = setting.require("value");
                if (!rule.accepts(value)) {
                    throw new UnreadableException("has an invalid value of " + rule.id());
                }
                rules.put(
                        rule,
                        new LoaderBehavior.Setting(value, setting.isTrue("assumed"), setting.require("evidence")));
            }
        }
        return rules;
    }
}
