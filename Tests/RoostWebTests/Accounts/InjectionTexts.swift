/// Texts that have broken other programs: markup, SQL, shells, templates, paths, CSV, direction of
/// text, control characters.
enum InjectionTexts {
    static let all = raw.split(separator: "\n").map(String.init) + escaped

    private static let escaped = [
        "\u{0}",
        "\u{1}",
        "\u{7}",
        "\u{8}",
        "\u{B}",
        "\u{1B}[31mred",
        "\u{7F}",
        "\u{85}",
        "\u{A0}",
        "\u{200B}",
        "\u{200E}",
        "\u{202E}exe.nnA",
        "\u{2028}",
        "\u{2029}",
        "\u{2066}x",
        "\u{FEFF}",
        "\u{FFFD}",
        "\u{FFFE}",
        "\u{E000}",
        "\u{10FFFF}",
        "a\nb",
        "a\rb",
        "a\tb",
        "\r\n\r\n<html>",
    ]

    private static let raw = #"""
        <script>alert(1)</script>
        <img src=x onerror=alert(1)>
        "><svg onload=alert(1)>
        javascript:alert(1)
        '-alert(1)-'
        </title><script>alert(1)</script>
        <!--
        -->
        ]]>
        <![CDATA[x]]>
        &lt;script&gt;
        &#60;script&#62;
        %3Cscript%3E
        \u003cscript\u003e
        {{7*7}}
        ${7*7}
        #{7*7}
        <%= 7*7 %>
        {% raw %}
        [[${7*7}]]
        ' OR '1'='1
        '; DROP TABLE accounts; --
        " OR ""="
        1; ATTACH DATABASE 'x' AS y
        admin'--
        ') UNION SELECT password FROM accounts --
        x' AND 1=randomblob(1000000000) --
        %' LIKE '%
        _%
        \'; SELECT 1
        =1+1
        =HYPERLINK("http://evil.example")
        +1+1
        -1+1
        @SUM(1)
        =cmd|' /C calc'!A0
        ../../etc/passwd
        ..\..\windows
        /etc/passwd
        file:///etc/passwd
        %2e%2e%2f
        ....//
        $(reboot)
        `reboot`
        ; reboot
        | reboot
        && reboot
        || reboot
        > /dev/sda
        \\server\share
        ~root
        ${HOME}
        %HOME%
        -rf
        --help
        *
        ?
        [a-z]
        {a,b}
        !!
        !reboot
        \
        \\
        "
        '
        `
        ""
        ''
        \"
        \'
        \n
        \r\nSet-Cookie: x=y
        %0d%0aSet-Cookie: x=y
        %00
        \0
        \x00
        null
        undefined
        NaN
        Infinity
        true
        0
        -1
        1e309
        9223372036854775808
        []
        {}
        {"$gt":""}
        {"__proto__":{"x":1}}
        __proto__
        constructor
        toString
        hasOwnProperty
        <a href="http://evil.example">x</a>
        http://169.254.169.254/
        //evil.example
        data:text/html,<script>x</script>
        <style>@import"//x"</style>
        <base href=//evil.example>
        <iframe src=x>
        <math><mi xlink:href=x>
        expression(alert(1))
        url(javascript:x)
        (&(uid=*))
        *)(uid=*
        <?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>
        <?php echo 1 ?>
        %n%n%n%s
        %x%x%x
        %d
        {0}
        {name}
        {{name}}
        :name
        ?1
        @name
        Robert'); DROP TABLE sessions;--
        Bobby\u0022
        ﬀ
        ＡＮＮＡ
        Аnna
        Ａdmin
        ⓐdmin
        Z͑ͫ̓ͪ̂ͫ̽a̴l̶g̷o̸
        日本語
        한국어
        العربية
        עברית
        👩‍👩‍👧‍👦
        🏳️‍🌈
        İstanbul
        ß
        """#
}
