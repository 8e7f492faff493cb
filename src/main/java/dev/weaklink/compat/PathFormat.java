package dev.weaklink.compat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

final class PathFormat {
    private PathFormat() {}

    /** Returns an absolute path without empty, {@code .} and {@code ..} components; links are not checked. */
    static String clean(String path) {
        List<String> names = new ArrayList<>();
        int start = 0;
        while (start <= path.length()) {
            int slash = path.indexOf('/', start);
            int end = slash < 0 ? path.length() : slash;
            String name = path.substring(start, end);
            if (name.equals("..")) {
                if (!names.isEmpty()) {
                    names.remove(names.size() - 1);
                }
            } else if (!name.isEmpty() && !name.equals(".")) {
                names.add(name);
            }
            start = end + 1;
        }
        return "/" + String.join("/", names);
    }

    static String fileName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    static @Nullable String releaseOf(String path) {
        String marker = "/lib/modules/";
        int at = path.indexOf(marker);
        int start = at + marker.length();
        int end = path.indexOf('/', start);
        return at < 0 || end <= start ? null : path.substring(start, end);
    }
}
