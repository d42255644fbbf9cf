import java.io.IOException;
import java.lang.reflect.Field;
import java.util.Enumeration;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;

/**
 * Prints the layout of every generated message in Kafka's jars: one line per message and version,
 * with tabs between name, version and layout. For tools/import_schemas.py, which explains the layout.
 */
public class SchemaDump {
    public static void main(String[] jars) throws Exception {
        for (String jar : jars) {
            try (JarFile file = new JarFile(jar)) {
                for (Enumeration<JarEntry> all = file.entries(); all.hasMoreElements();) {
                    String path = all.nextElement().getName();
                    if (isGenerated(path)) {
                        dump(Class.forName(path.replace(".class", "").replace('/', '.')));
                    }
                }
            }
        }
    }

    private static boolean isGenerated(String path) {
        boolean inside = path.contains("/common/message/") || path.contains("/common/metadata/")
            || path.contains("/generated/");
        return inside && path.endsWith(".class") && !path.contains("$");
    }

    private static void dump(Class<?> type) throws Exception {
        Schema[] schemas;
        try {
            schemas = (Schema[]) type.getField("SCHEMAS").get(null);
        } catch (NoSuchFieldException notAMessage) {
            return;
        }
        String name = type.getSimpleName().replaceFirst("(?<=Request|Response|Header)Data$", "");
        int low = type.getField("LOWEST_SUPPORTED_VERSION").getShort(null);
        int high = type.getField("HIGHEST_SUPPORTED_VERSION").getShort(null);
        for (int version = low; version <= high; version++) {
            System.out.println(name + "\t" + version + "\t" + layout(schemas[version]));
        }
    }

    private static String layout(Type type) throws Exception {
        if (type instanceof Schema schema) {
            StringBuilder out = new StringBuilder(type.isNullable() ? "NULLABLE_{" : "{");
            for (BoundField field : schema.fields()) {
                out.append(field(field.def.name, field.def.type));
            }
            return out.append("}").toString();
        }
        if (type instanceof TaggedFields tagged) {
            Field hidden = TaggedFields.class.getDeclaredField("fields");
            hidden.setAccessible(true);
            StringBuilder out = new StringBuilder("<");
            Map<?, ?> fields = new TreeMap<>((Map<?, ?>) hidden.get(tagged));
            for (Map.Entry<?, ?> each : fields.entrySet()) {
                var field = (org.apache.kafka.common.protocol.types.Field) each.getValue();
                out.append(each.getKey()).append("=").append(field(field.name, field.type));
            }
            return out.append(">").toString();
        }
        if (type.arrayElementType().isPresent()) {
            String compact = type.getClass().getSimpleName().startsWith("Compact") ? "COMPACT_" : "";
            String nullable = type.isNullable() ? "NULLABLE_" : "";
            return compact + nullable + "[]" + layout(type.arrayElementType().get());
        }
        return type.toString();
    }

    private static String field(String name, Type type) throws Exception {
        return name.replace("_", "") + ":" + layout(type) + ";";
    }
}
