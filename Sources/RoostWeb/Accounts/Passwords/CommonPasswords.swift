/// Passwords that are tried first, and words that such passwords are built around.
///
/// The list is our own: 661 entries, written down for this program from what is known to be common
/// in English, German, Italian and on keyboards. A leaked list of ten thousand would be better, and
/// too large for the good it does beside a least length of ten.
enum CommonPasswords {
    /// The common one that a password is built around, with fewer than six characters besides.
    ///
    /// - Parameter password: In lower case.
    /// - Returns: The longest of them; nil for a password of its own.
    static func core(of password: String) -> String? {
        longestFirst.first { word in
            password.contains(word) && password.replacing(word, with: "").count < 6
        }
    }

    private static let longestFirst = list.split(whereSeparator: \.isWhitespace)
        .map(String.init).sorted { ($1.count, $0) < ($0.count, $1) }

    private static let list = """
        password passwort passw0rd parola motdepasse contrasena senha wachtwoord haslo heslo
        passphrase pass word admin administrator root user guest login welcome willkommen
        benvenuto bienvenue letmein openup open opensesame sesame secret geheim segreto
        secreto private changeme change default test tester testing temp temporary master
        superuser supervisor system service server computer laptop internet intranet network
        netzwerk router modem wireless wifi wlan hotspot android iphone samsung nokia google
        facebook instagram twitter linkedin youtube whatsapp telegram amazon apple microsoft
        windows linux ubuntu debian raspberry raspberrypi raspi arduino sensor station roost
        dashboard weather wetter luft aria airquality grafana home zuhause casa house garden
        garten balcony balkon kitchen office work family familie famiglia mother father
        mutter vater mama papa iloveyou ilovey0u iloveme loveyou tiamo teamo ichliebedich
        jetaime lovely love lover liebe amore forever forever21 always sunshine sunflower
        sunny summer sommer estate winter autumn herbst spring primavera january february
        march april june july august september october november december januar februar juni
        juli oktober dezember gennaio febbraio marzo aprile maggio giugno luglio agosto
        settembre ottobre novembre dicembre monday tuesday wednesday thursday friday
        saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag football
        fussball soccer baseball basketball hockey tennis golf cricket rugby volleyball
        swimming running juventus inter milan barcelona realmadrid liverpool chelsea arsenal
        manchester bayern dortmund schalke stpauli ferrari porsche mercedes mustang corvette
        camaro yamaha harley honda toyota audi volkswagen superman batman spiderman ironman
        starwars startrek matrix pokemon pikachu naruto minecraft fortnite roblox warcraft
        starcraft nintendo playstation xbox sonic mario zelda gandalf frodo hobbit hogwarts
        potter harrypotter hermione simpsons snoopy garfield tigger mickey donald princess
        prinzessin principessa angel angelo engel diamond crystal silver golden purple
        orange yellow green blue black white pink rainbow butterfly schmetterling farfalla
        flower blume fiore rose lily daisy cherry banana strawberry chocolate cookie cookies
        cupcake peanut pepper ginger cheese pizza coffee whiskey vodka tequila dragon monkey
        tiger eagle falcon panther lion wolf bear shadow hunter killer ranger warrior knight
        ninja samurai phoenix thunder lightning storm hurricane tornado freedom liberty
        america england deutschland germany italia france espana london berlin paris roma
        newyork texas california chicago dallas boston orlando michael michelle jennifer
        jessica ashley amanda daniel daniela andrew andrea anthony antonio alexander
        alessandro alexandra thomas tommaso robert roberto william matthew matteo joshua
        jordan justin brandon nicole natalie nicholas charlie charlotte maggie buster bailey
        cooper lucky bella luna rocky toby oliver oscar leonardo francesco giovanni giuseppe
        stefan stefano sebastian martin martina claudia sabine susanne wolfgang juergen
        hannah hanna emma sophia sophie maria marie anna elizabeth victoria veronica
        samantha patricia barbara sandra laura sara sarah paul peter paolo pietro jesus
        christ heaven blessed faith hope trust grace gott qwerty qwertz azerty qwerty123
        qwertyuiop qwertzuiop asdfgh asdfghjkl asdfjkl zxcvbn zxcvbnm yxcvbnm 1q2w3e4r
        1q2w3e4r5t 1q2w3e 1qaz2wsx qazwsx qazwsxedc zaq12wsx zaq1xsw2 q1w2e3r4 qweasd
        qweasdzxc qwe123 asd123 zxc123 abc123 abcd1234 abcdef abcdefg abcdefgh a1b2c3d4
        aa123456 123abc 12345 123456 1234567 12345678 123456789 1234567890 0987654321
        987654321 87654321 654321 54321 123123 123321 112233 11223344 121212 123654 147258
        147258369 159357 159753 222222 333333 444444 555555 666666 777777 888888 999999
        000000 111111 101010 131313 232323 252525 696969 789456 789456123 741852963
        963852741 00000000 11111111 88888888 00112233 hello hallo ciao bonjour hola goodbye
        whatever nothing something anything everything nobody fuckyou fuckoff asshole
        bullshit sexy hottie trustno1 access access14 backup database oracle mysql cisco
        juniper ubnt support helpdesk manager office365 company business student teacher
        school schule scuola college university doctor nurse police soldier marine army navy
        airforce captain pirate cowboy cowgirl boomer hammer hotdog jackass loser winner
        champion legend genius einstein newton mozart beethoven beatles metallica nirvana
        slipknot eminem rihanna shakira madonna elvis guitar piano music musik musica dancer
        dancing player gamer poker casino jackpot money monkey1 dollar million business1
        bitcoin crypto flowers hunter2 correcthorsebatterystaple correcthorse batterystaple
        thequickbrownfox loremipsum tobeornottobe maytheforcebewithyou blink182 rockyou
        babygirl babyboy baby sweetheart sweety honey schatz schatzi tesoro cuore cherie
        mylove mybaby myspace mypassword mypass newpassword oldpassword yourpassword
        thepassword nopassword password1 password12 password123 password1234 passwort1
        passwort123 admin123 admin1234 welcome1 welcome123 letmein1 letmein123 iloveyou1
        monkey123 dragon123 sunshine1 princess1 football1 superman1 qwerty1 qwerty12 test123
        test1234 hallo123 ciao123 schalke04 fckoeln hsv1887 bvb09
        """
}
