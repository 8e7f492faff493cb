package dev.weaklink.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CompilerErrorTest {
    @Test
    void namesFileAndLineWithoutDirectoriesAndColumn() {
        CompilerError error = CompilerError.of(
                "/var/lib/dkms/ddcci/0.4.2/build/ddcci/ddcci.c:42:33: error: macro \"DEFINE_SEMAPHORE\" requires 2"
                        + " arguments, but only 1 given");

        assertThat(error.text())
                .isEqualTo("ddcci.c:42: macro \"DEFINE_SEMAPHORE\" requires 2 arguments, but only 1 given");
        assertThat(error.meaning()).isEqualTo("the macro takes other arguments now");
    }

    @Test
    void explainsRemovedFunctionsOfGccAndClang() {
        assertThat(meaning("x.c:717:9: error: implicit declaration of function 'strlcpy'; did you mean 'strncpy'?"
                        + " [-Werror=implicit-function-declaration]"))
                .isEqualTo("the function was removed or moved to another header");
        assertThat(meaning("x.c:7:9: error: call to undeclared function 'strlcpy'; ISO C99 and later do not support"
                        + " implicit function declarations [-Wimplicit-function-declaration]"))
                .isEqualTo("the function was removed or moved to another header");
    }

    @Test
    void explainsRemovedMembersOfGccAndClang() {
        assertThat(meaning("x.c:5:3: error: 'struct bus_type' has no member named 'p'"))
                .isEqualTo("the member was removed or renamed");
        assertThat(meaning("x.c:5:3: error: no member named 'p' in 'struct bus_type'"))
                .isEqualTo("the member was removed or renamed");
    }

    @Test
    void explainsChangedArgumentsAndCallbacks() {
        assertThat(meaning("x.c:5:3: error: too few arguments to function 'class_create'"))
                .isEqualTo("the function takes other arguments now");
        assertThat(meaning(
                        "x.c:5:3: error: initialization of 'int (*)(struct device *, const struct device_driver *)' from"
                                + " incompatible pointer type 'int (*)(struct device *, struct device_driver *)'"))
                .isEqualTo("a type changed, such as that of an argument or callback");
    }

    @Test
    void explainsMissingHeaders() {
        CompilerError error = CompilerError.of("x.c:3:10: fatal error: asm/unaligned.h: No such file or directory");

        assertThat(error.place()).isEqualTo("x.c:3");
        assertThat(error.meaning()).isEqualTo("the header was removed or moved");
    }

    @Test
    void keepsLinesOfOtherProgramsWhole() {
        CompilerError error = CompilerError.of("ERROR: modpost: \"strlcpy\" [x.ko] undefined!");

        assertThat(error.text()).isEqualTo("ERROR: modpost: \"strlcpy\" [x.ko] undefined!");
        assertThat(error.meaning()).isEqualTo("the kernel does not export the symbol");
    }

    private static String meaning(String line) {
        return CompilerError.of(line).meaning();
    }
}
