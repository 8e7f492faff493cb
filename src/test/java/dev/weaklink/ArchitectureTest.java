package dev.weaklink;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.weaklink.cli.Main;
import dev.weaklink.hold.Hold;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The permitted dependencies between packages and on libraries. */
@AnalyzeClasses(packages = "dev.weaklink", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String BASE = "dev.weaklink.";

    /** The packages in order. A package uses only the packages before it. */
    private static final List<String> ROOMS = List.of(
            "sys", "format", "module", "kernel", "system", "loader", "report", "explain", "rules", "check", "links",
            "compat", "rebuild", "hold", "status", "fleet", "cli");

    @ArchTest
    static void packagesUseOnlyEarlierPackages(JavaClasses classes) {
        Set<String> upwards = new TreeSet<>();
        for (JavaClass type : classes) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass used = dependency.getTargetClass().getBaseComponentType();
                if (used.getPackageName().startsWith(BASE) && ROOMS.indexOf(room(used)) > ROOMS.indexOf(room(type))) {
                    upwards.add(type.getName() + " -> " + used.getName());
                }
            }
        }
        assertThat(upwards).isEmpty();
    }

    @ArchTest
    static void everyClassIsInARoom(JavaClasses classes) {
        assertThat(classes).allSatisfy(type -> assertThat(ROOMS).contains(room(type)));
    }

    private static String room(JavaClass type) {
        String name = type.getPackageName().substring(BASE.length());
        return name.contains(".") ? name.substring(0, name.indexOf('.')) : name;
    }

    @ArchTest
    static final ArchRule ONLY_USERSPACE_KNOWS_JELF = only("check.userspace", "net.fornwall..");

    @ArchTest
    static final ArchRule ONLY_SIGNATURE_KNOWS_CRYPTOGRAPHY = only("module.signature", "org.bouncycastle..");

    @ArchTest
    static final ArchRule ONLY_THE_COMMAND_LINE_KNOWS_PICOCLI = only("cli", "picocli..");

    /**
     * Large reports and the intake of nodes use Jackson's streams, and rules use YAML. All other packages use
     * {@code format.json}.
     */
    @ArchTest
    static final ArchRule ONLY_READERS_AND_WRITERS_OF_JSON_KNOW_JACKSON = noClasses()
            .that()
            .resideOutsideOfPackages(
                    packages("format.json", "report", "check.report", "fleet.report", "fleet.intake", "rules.yaml"))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.fasterxml..", "org.yaml..");

    @ArchTest
    static final ArchRule RULES_DO_NOT_KNOW_HOW_THEY_ARE_READ = noClasses()
            .that()
            .resideInAPackage(BASE + "rules")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(BASE + "rules.yaml..");

    @ArchTest
    static final ArchRule ONLY_MAIN_ENDS_THE_PROCESS = noClasses()
            .that()
            .doNotBelongToAnyOf(Main.class)
            .should()
            .callMethod(System.class, "exit", int.class)
            .orShould()
            .callMethod(Runtime.class, "exit", int.class)
            .orShould()
            .callMethod(Runtime.class, "halt", int.class);

    @ArchTest
    static final ArchRule PERMISSIONS_ARE_SET_WITHOUT_FOLLOWING_LINKS =
            noClasses().should().callMethod(Files.class, "setPosixFilePermissions", Path.class, Set.class);

    @ArchTest
    static final ArchRule JUDGING_AND_PLANNING_ARE_PURE = noClasses()
            .that()
            .resideInAnyPackage(
                    BASE + "loader..",
                    BASE + "links.plan..",
                    BASE + "rules",
                    BASE + "rebuild",
                    BASE + "fleet",
                    BASE + "check.result..")
            .or()
            .belongToAnyOf(Hold.class)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.io..", "java.nio.file..", "java.nio.channels..");

    /** A simple name in a message, a review or a search must identify one class, nested classes included. */
    @ArchTest
    static void simpleNamesAreUnique(JavaClasses classes) {
        Map<String, Set<String>> byName = new TreeMap<>();
        for (JavaClass type : classes) {
            if (!type.isAnonymousClass() && !type.getSimpleName().equals("package-info")) {
                byName.computeIfAbsent(type.getSimpleName(), name -> new TreeSet<>())
                        .add(type.getName());
            }
        }
        byName.values().removeIf(types -> types.size() == 1);
        assertThat(byName).isEmpty();
    }

    private static ArchRule only(String owner, String library) {
        return noClasses()
                .that()
                .resideOutsideOfPackage(BASE + owner + "..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library);
    }

    private static String[] packages(String... names) {
        String[] packages = new String[names.length];
        for (int i = 0; i < names.length; i++) {
            packages[i] = BASE + names[i] + "..";
        }
        return packages;
    }
}
