package dev.weaklink;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.Set;
import java.util.TreeSet;

/** Code that only tests call must not exist. The compiler finds unused private code. */
@AnalyzeClasses(packages = "dev.weaklink", importOptions = ImportOption.DoNotIncludeTests.class)
class UnusedCodeTest {
    /** The code that only tests call: fault points, accessors, and constructors with replacements. */
    private static final Set<String> FOR_TESTS = Set.of(
            "format.archive.PackageEntry.target",
            "links.transaction.IndexFiles$IndexSet.<init>",
            "links.transaction.TransactionDirectory.host",
            "links.transaction.TransactionSettings.withFaults",
            "links.transaction.TransactionSettings.withLockWait",
            "links.selection.Selection.chosen",
            "links.LinkChanges.<init>",
            "rebuild.Backends.all",
            "module.signature.SignatureVerifier.keys");

    @ArchTest
    static void everyMethodHasACaller(JavaClasses classes) {
        Set<String> unused = new TreeSet<>();
        for (JavaClass type : classes) {
            for (JavaCodeUnit unit : type.getCodeUnits()) {
                if (!isCalled(unit) && !isCalledByOthers(unit)) {
                    unused.add(nameOf(unit));
                }
            }
        }
        assertThat(unused).containsExactlyInAnyOrderElementsOf(FOR_TESTS);
    }

    private static String nameOf(JavaCodeUnit unit) {
        return unit.getOwner().getName().substring("dev.weaklink.".length()) + "." + unit.getName();
    }

    private static boolean isCalled(JavaCodeUnit unit) {
        return unit.getAccessesToSelf().stream()
                        .anyMatch(access -> !access.getOrigin().equals(unit))
                || unit.getOwner().isRecord() && isReadAsField(unit);
    }

    /**
     * Returns whether a method of the record reads the component as a field, so that nothing has to call the accessor.
     */
    private static boolean isReadAsField(JavaCodeUnit accessor) {
        return accessor.getRawParameterTypes().isEmpty()
                && accessor.getOwner().tryGetField(accessor.getName()).stream()
                        .flatMap(field -> field.getAccessesToSelf().stream())
                        .anyMatch(access -> access.getAccessType() == JavaFieldAccess.AccessType.GET
                                && !access.getOrigin().equals(accessor));
    }

    /** Returns whether Java, picocli, Jackson or a caller of a supertype calls the code. */
    private static boolean isCalledByOthers(JavaCodeUnit unit) {
        JavaClass owner = unit.getOwner();
        if (unit.getModifiers().contains(JavaModifier.SYNTHETIC)
                || unit.getName().equals("<clinit>")
                || unit.getAnnotations().stream()
                        .anyMatch(by -> by.getRawType().getPackageName().startsWith("picocli"))) {
            return true;
        }
        if (unit instanceof JavaConstructor) {
            return owner.isEnum() || unit.getModifiers().contains(JavaModifier.PRIVATE);
        }
        if (owner.isEnum() && Set.of("values", "valueOf", "$values").contains(unit.getName())) {
            return true;
        }
        // Only equals reads the components of a key in a map.
        return owner.getSimpleName().endsWith("Key") || unit.getName().equals("main") || overrides((JavaMethod) unit);
    }

    private static boolean overrides(JavaMethod method) {
        String[] types =
                method.getRawParameterTypes().stream().map(JavaClass::getName).toArray(String[]::new);
        JavaClass owner = method.getOwner();
        return owner.getAllRawSuperclasses().stream()
                        .anyMatch(above ->
                                above.tryGetMethod(method.getName(), types).isPresent())
                || owner.getAllRawInterfaces().stream()
                        .anyMatch(above -> above.getMethods().stream()
                                .anyMatch(other -> other.getName().equals(method.getName())));
    }
}
