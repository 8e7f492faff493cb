package dev.weaklink.check.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.report.FullModule;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ModuleJsonTest {
    @Test
    void containsEveryFact() throws IOException {
        JsonNode json = write(FullModule.create());

        assertThat(json.at("/module").asText()).isEqualTo("mlx5_core");
        assertThat(json.at("/member").asText()).isEqualTo("lib/modules/mlx5_core.ko.xz");
        assertThat(json.get("elf").toString())
                .isEqualTo("{\"machine\":\"s390x\",\"bits\":64,\"byteOrder\":\"big\",\"flags\":0}");
        assertThat(json.at("/structSize").asInt()).isEqualTo(896);
        assertThat(json.at("/vermagic").asText()).isEqualTo("6.1.0-53-amd64 SMP mod_unload modversions ");
        assertThat(json.get("depends").toString()).isEqualTo("[\"mlxfw\",\"psample\"]");
        assertThat(json.get("importedNamespaces").toString()).isEqualTo("[\"DMA_BUF\",\"IOMMUFD\"]");
        assertThat(json.at("/modinfo/entries/1").asText()).isEqualTo("author=José <j@example.org>");
        assertThat(json.get("signature").toString())
                .isEqualTo("{\"kind\":\"pkcs7\",\"problem\":\"length\",\"length\":714}");
        assertThat(json.at("/buildId").asText()).isEqualTo("00ff");
        assertThat(json.at("/btf").asText()).isEqualTo("relocatable");
        assertThat(json.get("relocations").toString()).isEqualTo("{\"types\":[2,4,63],\"nonZeroTarget\":4}");
        assertThat(json.at("/defects/0/kind").asText()).isEqualTo("common-symbol");
    }

    @Test
    void importsCarryTheCrcOfTheFirstEntryOfTheirName() throws IOException {
        assertThat(write(FullModule.create()).get("imports").toString())
                .isEqualTo("[{\"symbol\":\"module_layout_user\",\"weak\":false},"
                        + "{\"symbol\":\"fput\",\"weak\":false,\"crc\":\"0xfedcba98\","
                        + "\"extendedCrc\":\"0x0000000100000000\"},"
                        + "{\"symbol\":\"optional\",\"weak\":true}]");
    }

    @Test
    void writesLicenseAndNamespaceOfExports() throws IOException {
        assertThat(write(FullModule.create()).get("exports").toString())
                .isEqualTo("[{\"symbol\":\"mlx5_a\",\"crc\":\"0xfedcba98\",\"gplOnly\":false},"
                        + "{\"symbol\":\"mlx5_b\",\"gplOnly\":true,\"namespace\":\"MLX5\"}]");
    }

    @Test
    void omitsUnknownFacts() throws IOException {
        JsonNode json = write(KernelModule.unread(Origin.file("x.ko")));

        for (String key : new String[] {
            "member",
            "elf",
            "structName",
            "structSize",
            "vermagic",
            "license",
            "modinfo",
            "versions",
            "extendedVersions",
            "buildId",
            "relocations"
        }) {
            assertThat(json.has(key)).as(key).isFalse();
        }
        assertThat(json.at("/signature/kind").asText()).isEqualTo("unsigned");
        assertThat(json.at("/btf").asText()).isEqualTo("absent");
    }

    private static JsonNode write(KernelModule module) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ModuleJson.write(module, RuntimeNames.NONE, out);
        return new ObjectMapper().readTree(out.toByteArray());
    }
}
