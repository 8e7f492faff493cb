package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SymbolNamesTest {
    private static final SymbolNames POOL = new SymbolNames.SymbolNamesBuilder(3)
            .add("alpha")
            .add("beta")
            .add("")
            .add("gamma")
            .build();

    @Test
    void pickedNamesAreThoseOfThePool() {
        SymbolNames picked = POOL.pick(new int[] {3, 0, 2, 0});

        assertThat(picked.size()).isEqualTo(4);
        assertThat(picked.name(0)).isEqualTo("gamma");
        assertThat(picked.name(1)).isEqualTo("alpha");
        assertThat(picked.name(2)).isEmpty();
        assertThat(picked.length(3)).isEqualTo(5);
        assertThat(picked.hash(0)).isEqualTo(POOL.hash(3));
        assertThat(picked.slot(0, 1023)).isEqualTo(POOL.slot(3, 1023));
        assertThat(picked.is(0, "gamma")).isTrue();
        assertThat(picked.is(0, "gammb")).isFalse();
        assertThat(picked.indexOf("alpha")).isEqualTo(1);
        assertThat(picked.indexOf("beta")).isEqualTo(-1);
        assertThat(picked.pool()).isSameAs(POOL);
        assertThat(picked.poolIndex(0)).isEqualTo(3);
    }

    @Test
    void pickedNamesEqualTheSameNamesElsewhere() {
        SymbolNames other =
                new SymbolNames.SymbolNamesBuilder(1).add("gamma").add("gammb").build();
        SymbolNames picked = POOL.pick(new int[] {3});

        assertThat(picked.same(0, other, 0)).isTrue();
        assertThat(other.same(0, picked, 0)).isTrue();
        assertThat(picked.same(0, other, 1)).isFalse();
    }

    @Test
    void givesAListOfItsOwnNoPool() {
        assertThat(POOL.pool()).isNull();
        assertThat(POOL.poolIndex(2)).isEqualTo(2);
    }

    @Test
    void rejectsIndexesOutOfRange() {
        assertThatThrownBy(() -> POOL.pick(new int[] {4})).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> POOL.pick(new int[] {-1})).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
