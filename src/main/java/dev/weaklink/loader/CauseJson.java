package dev.weaklink.loader;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.loader.TypeChange.MemberChange;
import java.util.List;
import java.util.Map;

public final class CauseJson {
    private static final int MOST_MEMBERS = 6;

    private CauseJson() {}

    /**
     * Returns the JSON of a finding's cause. Includes only the first six changed members, because there may be many
     * findings.
     */
    public static Map<String, Object> brief(CrcCause cause) {
        Map<String, Object> json = brief(cause.change());
        json.put("path", cause.path());
        json.put("certainty", cause.certainty().id());
        json.put("worst", cause.worst().change().id());
        json.put("candidates", list(cause.others(), CauseJson::brief));
        return json;
    }

    private static Map<String, Object> brief(TypeChange change) {
        List<MemberChange> members = change.members();
        return object(
                "kind", change.kind(),
                "name", change.name(),
                "change", change.change().id(),
                "members", list(members.subList(0, Math.min(MOST_MEMBERS, members.size())), CauseJson::member));
    }

    public static Map<String, Object> member(MemberChange member) {
        return object("name", member.name(), "before", member.before(), "after", member.after());
    }
}
