package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The formats and output files of checks, gates and plans. */
class OutputFormTest {
    private static final String OLD = "5.14.0-1.el9";
    private static final String NEW = "5.14.0-2.el9";

    @TempDir
    Path directory;

    private TreeBuilder image;

    @BeforeEach
    void install() throws IOException {
        image = TreeBuilder.in(Files.createDirectory(directory.resolve("image")));
        for (String release : List.of(OLD, NEW)) {
            image.module(release, "kernel/own.ko", module("own", release, 5))
                    .symvers(
                            SymversPlace.MODULES_XZ,
                            release,
                            new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                    .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                                    .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5));
        }
        image.module(OLD, "extra/good.ko", module("good", OLD, 5));
        image.module(OLD, "extra/bad.ko", module("bad", OLD, 6));
    }

    private static ModuleBuilder module(String name, String release, int printk) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ")
                .importing("_printk", printk);
    }

    private WholeRun run(String command, String... more) {
        boolean named = command.equals("check");
        String word = command.equals("in-use") ? "check" : command;
        List<String> words =
                new ArrayList<>(List.of(word, "--root", image.root().toString()));
        words.addAll(List.of("--kernel", NEW));
        if (named) {
            Path extra = image.root().resolve("lib/modules/" + OLD + "/extra");
            words.add(extra.resolve("good.ko").toString());
            words.add(extra.resolve("bad.ko").toString());
        }
        words.addAll(List.of(more));
        return WholeRun.of(words.toArray(new String[0]));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            value = {
                "check!json!{\"schema\":\"weaklink.check/1\"",
                "check!csv!record,kernel,module,result,",
                "check!markdown!# weaklink check",
                "check!junit!<?xml version",
                "in-use!csv!record,kernel,module,result,",
                "in-use!markdown!# weaklink check",
                "in-use!junit!<?xml version",
                "plan!table!" + NEW,
                "plan!csv!record,kernel,module,result,",
                "plan!markdown!# weaklink plan",
                "plan!junit!<?xml version"
            })
    void writesTheSameToAFileAsToStandardOutput(String command, String format, String start) throws IOException {
        WholeRun printed = run(command, "--format", format);
        assertThat(printed.out()).startsWith(start);
        Path file = Files.writeString(directory.resolve("result"), "before");
        WholeRun written = run(command, "--format", format, "-o", file.toString());
        assertThat(written.out()).isEmpty();
        assertThat(written.status()).isEqualTo(printed.status());
        assertThat(Files.readString(file)).isEqualTo(printed.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"check", "plan"})
    void reportsAWriteError(String command) {
        WholeRun full = run(command, "-o", "/dev/full");
        String said = "weaklink: /dev/full: cannot be written: No space left on device\n";
        assertThat(full).isEqualTo(new WholeRun(2, "", said));
        WholeRun nowhere = run(command, "-o", directory.resolve("none/x").toString());
        String none = "weaklink: --output DIR/none/x: there is no directory DIR/none\nTry: weaklink ";
        assertThat(nowhere.at(directory)).isEqualTo(new WholeRun(2, "", none + command + " --help\n"));
    }

    @Test
    void writesColoursIntoAFileOnlyOnRequest() throws IOException {
        Path file = directory.resolve("result");
        run("check", "-o", file.toString(), "--color", "auto");
        String plain = Files.readString(file);
        run("check", "-o", file.toString(), "--color", "always");
        String coloured = Files.readString(file);
        assertThat(coloured).isNotEqualTo(plain);
        assertThat(coloured.replaceAll("\u001b\\[[0-9;]*m", "")).isEqualTo(plain);
    }

    @Test
    void applyHasNoFormsOfItsOwn() {
        WholeRun run = WholeRun.of("apply", "--dry-run", "--format", "junit");
        assertThat(run)
                .isEqualTo(new WholeRun(
                        2, "", "weaklink: --format takes table, json; not 'junit'\nTry: weaklink apply --help\n"));
    }
}
