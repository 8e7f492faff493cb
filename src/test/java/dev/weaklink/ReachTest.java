package dev.weaklink;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;

/**
 * The number of files that a reader of a command may have to read. Nested classes count as their file. The budgets are
 * the measured numbers; they may fall.
 */
@AnalyzeClasses(packages = "dev.weaklink", importOptions = ImportOption.DoNotIncludeTests.class)
class ReachTest {
    @ArchTest
    static void aCheckReachesAtMostTheBudget(JavaClasses program) {
        assertReach(program, 295, "cli.CheckCommand", "check.Checker");
    }

    @ArchTest
    static void inspectingAModuleReachesAtMostTheBudget(JavaClasses program) {
        assertReach(program, 156, "cli.InspectCommand", "check.SingleModule");
    }

    private static void assertReach(JavaClasses program, int budget, String... starts) {
        Set<String> reached = new HashSet<>();
        Deque<String> open = new ArrayDeque<>();
        for (String start : starts) {
            open.add("dev.weaklink." + start);
        }
        while (!open.isEmpty()) {
            String name = open.remove();
            if (reached.add(name)) {
                files(program, name).forEach(open::add);
            }
        }
        TreeMap<String, Integer> packages = new TreeMap<>();
        for (String name : reached) {
            packages.merge(name.substring(0, name.lastIndexOf('.')), 1, Integer::sum);
        }
        assertThat(reached).as("%s reaches %s", starts[0], packages).hasSizeLessThanOrEqualTo(budget);
    }

    /** Returns the files of the program to which a file refers. */
    private static Set<String> files(JavaClasses program, String name) {
        Set<String> files = new HashSet<>();
        for (JavaClass of : program) {
            if (file(of).equals(name)) {
                of.getDirectDependenciesFromSelf()
                        .forEach(dependency ->
                                files.add(file(dependency.getTargetClass().getBaseComponentType())));
            }
        }
        files.removeIf(file -> !program.contain(file));
        return files;
    }

    private static String file(JavaClass of) {
        String name = of.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }
}
