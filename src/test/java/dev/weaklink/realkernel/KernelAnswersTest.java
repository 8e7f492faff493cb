package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.realkernel.KernelAnswer.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelAnswersTest {

    @Test
    void theTableOf56HasAllItsRows() {
        List<KernelAnswer> answers = KernelAnswers.of("6.1.0-56-amd64");
        assertThat(answers).hasSize(458);
        assertThat(answers.stream().filter(KernelAnswer::accepted)).hasSize(146);
        assertThat(answers.stream().filter(a -> a.outcome() == Outcome.REFUSED)).hasSize(312);
    }

    @Test
    void theTableOf54HasAllItsRows() {
        List<KernelAnswer> answers = KernelAnswers.of("6.1.0-54-amd64");
        assertThat(answers).hasSize(4023);
        assertThat(answers.stream().filter(KernelAnswer::accepted)).hasSize(964);
        assertThat(answers.stream().filter(a -> a.outcome() == Outcome.REFUSED)).hasSize(3051);
        assertThat(answers.stream().filter(a -> a.outcome() == Outcome.INCONCLUSIVE))
                .hasSize(8);
    }

    @Test
    void everyRefusalHasAnErrnoAndNothingElseHasOne() {
        for (String release : List.of("6.1.0-54-amd64", "6.1.0-56-amd64")) {
            assertThat(KernelAnswers.of(release))
                    .allSatisfy(answer -> assertThat(answer.errno() != null)
                            .as(answer.label())
                            .isEqualTo(answer.outcome() == Outcome.REFUSED));
        }
    }

    @Test
    void acceptsALogLineOnlyForThatSymbolAndReason() {
        KernelAnswer answer = answer("mut56/sym_crc_then_unknown/dummy.ko");
        assertThat(answer.logged("dummy: disagrees about version of symbol dev_lstats_read"))
                .isTrue();
        assertThat(answer.logged("dummy: Unknown symbol dev_lstats_read (err -22)"))
                .isTrue();
        assertThat(answer.logged("dummy: Unknown symbol no_such_symbol_zz (err -2)"))
                .isTrue();
        assertThat(answer.logged("dummy: Unknown symbol no_such_symbol_zz (err -22)"))
                .isFalse();
        assertThat(answer.logged("dummy: no symbol version for dev_lstats_read"))
                .isFalse();
        assertThat(answer.logged("dummy: disagrees about version of symbol rtnl_lock"))
                .isFalse();
    }

    @Test
    void otherMessagesAreComparedWholeExceptForAddresses() {
        assertThat(answer("mut56/elf_3bytes/dummy.ko").logged("Invalid ELF header len 3"))
                .isTrue();
        assertThat(answer("mut56/elf_3bytes/dummy.ko").logged("Invalid ELF header len 4"))
                .isFalse();
        KernelAnswer relocation = answer("mut56/rel_target_nonzero/dummy.ko");
        String line = "module: x86/modules: Skipping invalid relocation target, existing value is nonzero for"
                + " type 4, loc 00000000deadbeef, val ffffffff81000000";
        assertThat(relocation.logged(line)).isTrue();
        assertThat(relocation.logged(line.replace("type 4", "type 2"))).isFalse();
    }

    private static KernelAnswer answer(String label) {
        return KernelAnswers.of("6.1.0-56-amd64").stream()
                .filter(answer -> answer.label().equals(label))
                .findFirst()
                .orElseThrow();
    }
}
