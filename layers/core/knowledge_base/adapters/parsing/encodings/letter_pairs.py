"""Letters beyond ASCII of the languages in Latin script, and the pairs of letters in which they stand.

`LATIN` has for each language: how many of 1,000 letters are beyond ASCII, these letters, and the pairs that have one
of them, the most frequent first (those that make up 98 in 100 of all such pairs, 250 at most); `_` is the edge
of a word.

Source: the letter statistics of the Wortschatz corpora (Leipzig University, CC BY) as counted by the project
lingua (pemistahl/lingua, Apache License 2.0); only the order is kept, and letters foreign to a language are left out.
"""

from __future__ import annotations

LATIN: dict[str, tuple[int, str, str]] = {
    "french": (
        36,
        "éàèêçôâîûùïœëüæ",
        "é_ à_ _à ré té _é dé és ée ét ér éc né sé èr mé ég lé iè él ép ès êt rè pé év gé éd én ém ué ié cé vé éf "
        "hé êm éa mê _ê fé èm éb ça lè ôt bé rê nç éq aî ù_ où tè éj cè là ço ît èt éo ût èg èv jà oû èn mè éu cô "
        "aï rô dè ôl _ç pè œu yé tô ât hè âc în hô èl èc tê uê gè éh aé _â çu aç eç xé râ pê _œ âg êc ôm rç ûr ël "
        "sû éé fê pô",
    ),
    "spanish": (
        24,
        "óíáéñúü",
        "ió ón ó_ ía má ás añ rá á_ ño rí án ña í_ tá ún lí ró én ié és ís eñ é_ dí tó có ué aí sí gú ól ló cí só "
        "ít óm ér nó mé ín bí mó _ú íc _é dó tí gó ví zó úb pú ní _á té ré úl ár cá mí él íd ál éx lá fí uí éc át "
        "iñ jó nú gí ác óx sé lé hí dé ío aú ús ám óv sá ór pó úm ág eó vé mú áb ná éd óg ím cé ét áf yó uá ñe zá "
        "pá íf ñí iá né pé óp fá íg ós ú_ ód dá eí tú áp ég bó éf áx út áv _ó vó _í ép uñ úa fó bé bá ír gé fú jé",
    ),
    "portuguese": (
        35,
        "ãçáéíóêõúàâôü",
        "ão çã aç á_ é_ _é nã õe ça ár rá sã nç iç çõ ém tá _à ên té ço íc à_ tã bé já lí ór eç rã ér ís aí tó ít "
        "ês ró iã rê úb sá ós pú lé íd _á cí ân ív há mé rç às rí ná uç só éd áv ê_ _ú ré ó_ tí pó ín íp sí uí sé "
        "iá hõ úl aú lá mí úd ás tê íl ní éc nú ôn cê êm mã át má hã óx dê ág câ âm ví és óp ún nó fí ã_ vá dá úm "
        "iê ús gê áb ôm ál ét ác dã sõ ól mê _ó tâ ío eí oç ué ló mó ãe vã í_ vé lê óg vê ír pé nô mú pç óc cá dí "
        "pá uê oã dú fá _í uá râ dé fé ím gó bá óv áf gã iõ có ád ég ép cé lã né ía él úc éi ód lâ íf ót pí rô tõ "
        "tô áp íz cç aé mô gé eã íb éu eú lô jú úv áx põ íg zã áu _ô fó nê",
    ),
    "italian": (
        7,
        "èàùìòéóíúî",
        "è_ _è à_ tà ù_ rà iù ì_ ò_ é_ hé dì sì ià rò uò iò hè né lì dà tù oè là _é tò sé",
    ),
    "german": (
        16,
        "üäöß",
        "ür fü üb _ü än rü lä ät hä rä üc är tä äh ün ße ön üh kö hö wä ör äu äc äs üs lü tü mü ös äl rö mö fä oß "
        "nä uß kü wü mä üt ög äg _ö äf bü jä ß_ eß lö _ä öh sä pä öf üg öl aß hü dü ßt äm iß ül kä nü öß öt äd tö "
        "gä öc zü sü gü zä üd ßb bö bä äi wö nö vö üf ßl jü dä sö äß fö zö ßi",
    ),
    "swedish": (
        52,
        "äåöé",
        "ör är fö å_ _ä än på år ån äl vä sä rä äg lä _å rå så ät nä _ö tä gå åg må vå jä ål hä öv äs åt få hö rö "
        "nå mä gö äm ök sö lå kä äv dä bä åd äk lö öt ös mö hå kö tå då tö öd ås ön fä gä bö öj öm äd ög jö öp dö "
        "öl äc åk bå ö_",
    ),
    "danish": (
        30,
        "åøæé",
        "å_ på ør ær år så væ æl fø æn ræ _å læ ød åd må rø sæ kø sø lø øb æs få øj tæ _ø tø øl gå hø øn æk æg øg "
        "bø rå æt gø nå tå næ øs mø ål åe mæ kæ fæ hå ån jæ øv æd åb bå _æ dø hæ lå ås æv nø øk øm gæ pø pæ jø ø_ "
        "æm bæ æf øt dæ åt vå _é æb",
    ),
    "norwegian": (
        27,
        "åøæéóôò",
        "å_ _å på ør år ær fø så jø må væ nå sø få rø lø øy åt _ø gå øk øn tø øl hø ål åd rå øs øt ød vå øp tå åp "
        "dø mø lå øm bå ån nø øv hå næ bø åk ø_ ås læ åe åg pø då øf øe jæ én sæ bæ _é tæ jå",
    ),
    "dutch": (
        1,
        "ëéïèóüö",
        "ië ë_ én _é éé ël ën é_ eë ïn eï ër aï aë èr iè fé él ré eé té vé ëi oë hé ér wé ör óó oö ëe né ét ïs ün "
        "ór dé vó lé èn és mé ïe uï ür éc sé ëz oï mü ké cè ït ém ët ée gé cé rö _ó ül öp ué rè ëv üs ïd gü zó pé "
        "ó_ ön bé nó éd óg ëx üb zé _ü öl rü è_ eü hè ës èv mö nè ïr ón üh bü hö éb ók jö _ö öd èl ïm ég óf ié wü "
        "év ép kö èc gö éa ëd tó zü ï_ mó üc tü ès ëm èm ïc éo öz lü hü dü lè kü óe lö öt fü öm jü ö_ üm èt sè",
    ),
    "finnish": (
        48,
        "äöå",
        "ä_ tä ää än lä vä sä kä mä ät äi jä nä pä yö äl äs äk är äy tö äm äh hä ös äv ön iä rä dä lö ö_ kö äj öi "
        "öt _ä iö ök eä yä öy öl öm ör äp äe öö",
    ),
    "icelandic": (
        132,
        "ðáíþóæöúéý",
        "ð_ að _þ ið í_ _í _á á_ ði ðu ða rð þe jó þa eð rá ví ár ál ór já má ær uð öl æð sí ör ög æt ðs ík jö sé "
        "ón ís ól íð _ú þv lí væ rí át ót áð ér óð æk ró tæ tö ræ án ín út _ó lö ré hú tí gð hæ fé ún nú él þá ús "
        "ét vö _ö ön tó ú_ öð úr rú ós ók þr é_ _é lá ég æm öf ím bú bæ fð ný ðr ðl fó þj læ hö oð sö næ ýs há ök "
        "ás dó ná þó þi só lý æg mö ýr æs fæ gæ sæ ít óm ák mæ ó_ úa ðh jú _æ kó rö íl æl mó hé íf ðn gó íu óp ýn "
        "hó æn áh fá ðv sý sá ðj ðb bó áf bí ló úl gö úi ýj éf ðg þú óv nó þu úð íb ág fö þæ mí lþ kö ðf ní pá óf "
        "ký óh dæ þy æf ðm ýt ðe ðt úm öt öm þo úk tú ám ób lé éu sú bö ös rý mé áb æj yð ír áv kæ ék ýð kí æp ái "
        "ö_ ým bá ká _ý",
    ),
    "catalan": (
        24,
        "éóàèíòçúïü",
        "és ó_ ió à_ _é mé rà é_ ò_ èn rò ça bé è_ í_ uè ón tà nç lí ré àr ís só xò té tí ít rè tè mà àn òr là _ú "
        "íc tò rí ès rç mí ín cà àc dè xí aç pú úb _à sí òm úl lò èc ç_ lè ús às ú_ ià uï uí nò àt èr mó aí gè nè "
        "cé ún ós iè ví mè üe qü àl nó àm íd ït òn sè mú gú íl ué nú aï òp ïn _è dà eï vé nà òg fí èi cò mò dó cè "
        "ní ló ço dí èt ím òl cí pè ía ïs sé òs én íe có fà bà gü sà pà né èd àx àg èx ró ór àf àp íf úm òx èm èg "
        "lé tó òb vè dé và üè uà _ò èf lç àv èp ío eç àb íg éi pò úr òc èl ïd fò sò _í éu aó óc gó ér çu rú fó tú "
        "cú fè iç dú jà ír òt gí",
    ),
    "irish": (
        70,
        "áíéúó",
        "í_ ái á_ ío éi é_ tá éa aí iú rí ú_ _é hí ó_ há ní úi hé lá ói _á án sé _ó rá ná eá fé nó ór tí cé lé ún "
        "mó hó _ú át sí tú ár dé lí ré mé dá hú fá ás dú úr rú ín úl má úd dó uí sú ón sá dí óg cú ír ús ál íl cá "
        "ís _í ró pá áb tó mí có ím ós lú bí fó nú té ló né gá fí bé ít mú ót ác ád pó íc úc pé úp óc bá",
    ),
    "polish": (
        60,
        "łęąóżśćńź",
        "ę_ ał ą_ ię ów ć_ ła ł_ ło że _ż ją oś tó ór śc ać ąc ły ią ró ż_ ił ył zą ęd sł oż _ś ży łu ńs aż eż ąd "
        "ęc zł uż eś gł oł ną kó ję bę ść łe ań pó św mó zę ić śl żn yć są wł só dł ół ń_ eń ża śn tę ób wó ś_ ęk "
        "kł pł iś ńc ęt eł ką ąt łk śm iż có śr żo ód aś ąz gó dą _ł wą oń rę nę kę łn lą ęp uł ój ól tą óc łó yś "
        "łą lę kż eć iń yż wę cą rą ąg ęż ió ąż nó źn dó óż dę żs ęś żd ęł ęs dź yń mę gą ęg żk ął żl dż mł ąć gę "
        "bó jś aź żą zó ęb łę ąp cę tł ź_ ęz bł eź żc ót źd żu jó hę łc óg łb żb pę sę ęć óź",
    ),
    "czech": (
        129,
        "íáěéřžýčšůúňťóď",
        "í_ ní é_ ě_ á_ ře ně př ná že ý_ rá vá íc ké ím né _č jí vý ří vě _ž án ž_ ři ů_ ál mě če ýc tě ší ný tí "
        "vé át ví áv ká še lá cí ký éh dě zá čn tá ěl ět už ík ád tř ém mí ám má dá _ú _š ži ým ož dí ít ás až eč "
        "št lí lé ác či vš té ěn sí _ř oč ís ěj ač íh ák ré áz rý ča eš ár ič ši ež čí bě ín ěs íl há ěk ží žn zí "
        "uš rů pě šk iš oř tý bí aš čk iž ív íd mů eř íz ků čt jš bý ír lš ům žd dů uč ář ař mé ěd pá sá lý pů pí "
        "yž áš šl ůž oš tů ěc ěm vů ěž én iá š_ áž áh ša íž ěr ér ůs tš čá šn ýt řa yš ýv žá dé áp ěh íp řá ús áj "
        "čl ěř ůl č_ ýr íš nč nů ř_ rž ěz ýs ův bá ců ét lů íč dý já žs pš áč bř ň_ ěv dř hé ýd áb ýš ť_ úč út ža "
        "íj íb šp eň žo zř žk čo ií yř ýz ůj íř ék rč vč ýk ď_ ůz řs ié ěš žu rš nž mý šť vř éd ýb žb hů hý bč šo "
        "úř kř zů uá ňo",
    ),
    "slovak": (
        93,
        "áíčýšúžéťľôóňďäĺŕ",
        "ť_ é_ í_ ý_ á_ ú_ ná ný rá né ýc že _č vý _ž ní _š ať čn oč áv rí ác či éh jú lá ži št ár ši ča vá ký zá "
        "eľ ál tá _ú iť ým ká át ľa má sú sť ž_ už še čo tí ké ač íc až ič ád ím vš ás če án nú eč eš dá vé ré ák "
        "ož ík ám rý ís ív ší ša tý čí ďa ťa úc tú ín lí žn úr ít zí dľ sí ež ľu kú šk dí ví ém _ľ oľ eď jš mô čk "
        "úč ón ď_ aš áz ér iá út ľk žd ôž há yš úp dú ňa vä ň_ lé té ús nč eň úd ľo dô pá _ď ňo šo ľ_ ró uá oš iš "
        "uš ža iž pô č_ lý áp šp áž rú ľn ií š_ óp ýr lš čl šl íp ťo ió íz eť aľ ýv pä bá žu ún nš čš äč pí ží ýs "
        "áš ôs aď yť rž hľ äť áč ýš vú šn pš óz lú nó jí uč úť mí áj úv rč íl ír ôv íd aň žo hý ýb úz cí ľm ýk áh "
        "ór dý ôr dň íž ié úk mä bí áb čt tó cú žk én kô ľs ňu bý ýž ču ôl úl žb šš sá ät úš ló bč _ť kí íj gá rš "
        "ôc šť áu äz eú",
    ),
    "hungarian": (
        110,
        "áéöóőíüúű",
        "és _é ár ál ás tá án ér té ég én zá kö lá át sé ül vá má ó_ él ké ít sá ág ét mé ék lé rá já tó _á zé öz "
        "vé áb tö ól ák ő_ né ör ép ló ön áz ró év gá há dé ká ám ná tő ré lő öt dá _ö gé _ú zö zó ió öl pá öv rü "
        "ök kü ös iá bá új ír ós zü éb ók zí pé ük ől sí öb ün ős áj ót _í _ü fé dő yá ző nö üg ív úl ór dó éz rő "
        "bó yé ób áv é_ ők ác dö jé jó éd lí íg tü ín őt rö ső kí ód hé ú_ á_ úg lö sü ád mű őr ém ón _ó dí gó üt "
        "sú jö cé hí íz nő tí ój ű_ ói út óp ím őz kó só fő lü pí _ő fö tú mú sö cí mí yü bé bő bí óv őd gí ví öd "
        "óz yö ús pü üz őj őb rú vő óg fü éh yí gü mó rí íj ög áp hó jü őn tű ői őe yő gö nü úr zú uá őv yú óa fá "
        "yó rű vü bö ái ié űn öm hú ní eá jú úz űv yű bü cá űk hö ür őf áh áa",
    ),
    "croatian": (
        31,
        "čšćžđ",
        "št će če iš či ič ač _š eć _č že ži čk ić _ž še oš aš ča ći ć_ uč ža _ć ća oč až uć ož rž čn eč eš už ši "
        "ša šk šn uš đe eđ žu žn ađ đu š_ đa rš ču ež šl ać oć ću ođ iž žb č_ šć ćn čl čj vš pć šu čo đi uđ žj nč "
        "dž rč žd",
    ),
    "slovene": (
        29,
        "čšž",
        "če oč či _š še ča _č eč ič iš čn _ž že ač šk č_ aš ži ža ož ša ši jš ež šč oš šn št eš rž už žn ču uš nč "
        "uč čj až šl žb čk š_ šo čl rš iž kš šp žj čr rč bč vč ž_ žu nš žk čo vš šj hč",
    ),
    "romanian": (
        32,
        "ăîțșâ",
        "ă_ _î în ți și _ș că tă să ân aț ră nț ăr șt nă ăt eș lă pă mâ iț mă ța câ ză aș eț țe ță cț iș bă șe ât "
        "ăț ăm gă ăs uț tâ vă dă fă șa ăc îm uș âr _ț țu uă vâ pâ râ ăz ău ăn rț șo ăl ș_ lț oț ăd oș âm șu ăp ăi "
        "cî șc îi îș âl îl ăș sâ ț_ sț fâ sî rș",
    ),
    "albanian": (
        82,
        "ëç",
        "ë_ të në ër ës pë rë ën jë më së kë hë ët që dë _ë bë lë ëm ëv vë _ç gë zë ëh ëz ël ëp cë eç",
    ),
    "turkish": (
        98,
        "ıüşçğöâîû",
        "ı_ ın rı nı lı sı ıl ır _ç iş ür tı ün dı aş _ö ği çi ık tü _ü ış şt ön yı gö iç ğı ağ ör ş_ mı ım eğ çe "
        "dü _ş kı iğ ü_ üz ük şi ül ız şı gü şa şl rü mü ça üm ığ öz şm yü lü eş ıy ğu kü aç zı uş şe nü ıs ğr ço "
        "pı çı ğl sü cı eç üy uğ oğ ç_ bü üş ğe öl şk yö üt öğ üs bö ıd çl öy dö rç sö ıc fı rş şu ıt üç ğa şü üc "
        "kö _ı çü ös zü üd tö hü kç üğ ğü uç gı ıp lç bı cü nç çm öd oş hı üv çö şv ök î_ tç çt ıf ğ_ üp",
    ),
    "lithuanian": (
        66,
        "ėųšžąįčūę",
        "ų_ ą_ iš ių či ė_ ės į_ _š ži _į ėj nė ši tų _ž dė šk až dž š_ lė už ę_ jų tė kė ėl ėt rė aš mą bė eš tą "
        "št bū ūr mė vė ša ač ūt nč mų ėm ją ža žm ęs eč nį kų ką šv že įs ič ūs ėd pė ną iū tū nų sė kš są ią sų "
        "gė ūn rą še ūk įv rų nę _č ež gų rū tį ž_ ąj žu žy kū lį rš ėg ūd šo šs tę jū rž ųj lų ėr mū rį jį sč ėk "
        "žo šl ėn dą žs šy žt žė šč dų žv žn žd vę šė lą gą uš oš įt če kę uč ąs sį įm šu ėž šm vą žk ūl vų pš gū "
        "ję įr lę ėv kį yč bą bę šį iž bų jė ož rę įž šg lū įg šr šn įk dę mž ūp eį _ū rč aė yš dū šp įd ėš č_ įp "
        "pū dį yž ūč zė mę sū _ą pą",
    ),
    "latvian": (
        108,
        "āīēšņūļžķģč",
        "ā_ tā nā kā rī īb jā āj ās āk ār ša vē rā ād ēj ēt āt tī mā īt iņ ēr ām lī ī_ pē īg _š dī pā mē zī lā ši "
        "āl dā lē īv oš bū īd rē ēm īj ē_ ēl ūt sā dē aš tē gā āc vā nī cī eš uš ņa šo ūs īs ēs bā zē sē ēk ēc š_ "
        "ļa šu ģi kš šā āp āv kļ sī ļu ņu ān bē ķi ņē ņi īm ūr tū až ēd ņe eļ nē _ī mū aļ zņ zā īn šī vī mī ņš ļo "
        "ču aņ ēš ež īk īc iā šķ jū rū _ļ _ā āš ač rš cē ēn īr eņ ēļ cā īp bī ļi ūd ūk uā žo īz lū ņo šv žu īš žā "
        "ļ_ ži _ģ ža pī ņā _ē gū dž eģ āb _č iš ģe šs ļā ēg ūv ķe sū eā āz če īl oģ ēģ že iķ ūp ļū _ž _ķ iļ ūz pš "
        "rķ šn nš ķī oņ še aģ šl mš uļ jē ēķ _ņ ū_ ūl _ū žē ēv ķu āi šē ķē gš pū rģ ģē už āž ūn dū āa āņ",
    ),
    "estonian": (
        35,
        "äõüöšž",
        "õi võ är _ü vä ää äi pä jä ül öö tä äl än kõ äe sõ äh kü õn õt üh õu nä tö _õ mõ üü mä tõ lä kä õp põ õh "
        "õr sü üt õl üs _ä äg lõ ük nõ üd jõ ät üm hä äs õe rä äb äk pü ür öd äd öt nü ün mü tü _ö lü rü õs ör õõ "
        "ö_ üg õj õd mö rõ öe õm öl ös äp sä ök hü pö üa õg õb üp äo ü_ äm äv sö jü aü üv lö ög öv iõ",
    ),
    "vietnamese": (
        388,
        "\u0301\u0300\u0323êôư\u0309đơâ\u0303ă",
        "",
    ),
}
