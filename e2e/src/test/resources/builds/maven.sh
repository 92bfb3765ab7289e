set -e
# The test copies Maven and the plugins: a sandbox does not see the host's /etc or home directories.
mkdir -p app/src/main/java app/src/test/java && cd app
cat > pom.xml <<'EOF'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>app</artifactId>
  <version>1.0</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>6.1.3</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
      <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.14.1</version></plugin>
      <plugin><artifactId>maven-surefire-plugin</artifactId><version>3.5.4</version></plugin>
      <plugin><artifactId>maven-jar-plugin</artifactId><version>3.4.2</version></plugin>
    </plugins>
  </build>
</project>
EOF
echo 'class App { static int add(int a, int b) { return a + b; } }' > src/main/java/App.java
cat > src/test/java/AppTest.java <<'EOF'
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class AppTest {
    @Test
    void adds() {
        assertEquals(3, App.add(1, 2));
    }
}
EOF
../maven/bin/mvn -o -B -q -Dmaven.repo.local="$PWD/../repository" package
test -s target/app-1.0.jar
test -s target/surefire-reports/AppTest.txt
