"""What people say to an assistant, in eight languages: orders, small talk and questions about the world, for which no
memory is needed; and questions and remarks about their own lives, for which one may be."""

from __future__ import annotations

ORDERS_BY_LANGUAGE = {
    "en": """
        switch off the lamp in the bedroom|start a five minute countdown|tell me the time please|what day is it today
        put on some jazz|make it louder|quiet please|will it rain tomorrow|good evening|thanks a lot
        how far away is the moon|convert three miles to kilometres|put eggs and bread on my list|next track
        what is twelve plus thirty|set the heating to twenty degrees|open the curtains|who painted the mona lisa
        wake me at half past six|delete that timer|read me the news|how do you spell necessary|flip a coin
        are you there|never mind|repeat that|what is the capital of peru|start the vacuum cleaner
        lock the front door|sing me a song|good night|yes please|turn the heating up|set an alarm for half past five
        what's the date|play the radio|put on a playlist|play something relaxing|previous track|quieter|silence|halt
        abort|exit|good afternoon|hello|hi there|bye|cheers|well done|how are you|who are you|make me laugh
        roll a die|what's nine squared|divide ninety by six|how tall is mount everest|who invented the telephone
        when was napoleon born|how old is the universe|translate dog into spanish|define photosynthesis
        remind me to call the doctor|remove bread from the list|open the garage door|raise the shutters
        turn off the television|switch on the heater|lights off|make the lamp brighter|mute|resume|go back|again
        do i need an umbrella|what's the temperature outside|what are the headlines|set brightness to half
        stop the timer|how much time is left|is the oven on|call the office|send a message|what can you do
        restart|take a photo|find my phone|how many ounces are in a litre|when does the sun set|see you later
        no|okay|wait|faster|volume to five|any new mail|turn everything off|movie mode|i'm home|play a game
        how is the traffic|spell banana|random number please|shuffle|who sings this|what song is this
        how many legs does a spider have|what does serendipity mean|who wrote war and peace|boil water
        what is the speed of light|is it cold outside|brew a coffee|start the dishwasher|dim the hallway lamp""",
    "de": """
        mach das licht im flur aus|stell einen wecker auf acht uhr|wie wird das wetter morgen|danke schön
        spiel etwas musik|lauter|leiser|stopp|guten morgen|gute nacht|wie spät ist es|welcher tag ist heute
        rolladen runter|heizung auf einundzwanzig grad|nächstes lied|erzähl einen witz|was ist drei mal vier
        wer hat faust geschrieben|wie hoch ist die zugspitze|setz butter auf die einkaufsliste|timer abbrechen
        wie viele meter hat eine meile|übersetze hund ins englische|schalte den fernseher ein|ja bitte|nein danke
        was kannst du|wie geht es dir|mach das radio an|wann geht die sonne unter""",
    "es": """
        apaga la luz del salón|pon una alarma a las siete|qué hora es|buenos días|sube el volumen|para|siguiente canción
        gracias|buenas noches|qué tiempo hace|qué día es hoy|cuánto es siete por ocho|cuenta un chiste
        quién escribió el quijote|baja las persianas|añade leche a la lista|cancela el temporizador
        pon la calefacción a veinte grados|cuál es la capital de francia|enciende la tele|pon música tranquila
        cómo estás|repite|traduce perro al inglés|cuántos gramos tiene una libra|sí por favor|silencio
        va a llover mañana|qué puedes hacer|despiértame a las seis""",
    "pt": """
        aumenta o volume|que horas são|liga a televisão|apaga a luz da sala|bom dia|boa noite|obrigado|para a música
        próxima música|como está o tempo|que dia é hoje|quanto é nove vezes seis|conta uma piada
        quem escreveu os lusíadas|fecha as persianas|põe leite na lista de compras|cancela o alarme
        acorda-me às sete|qual é a capital da itália|põe uma música calma|silêncio|tudo bem|repete por favor
        como se diz gato em inglês|vai chover amanhã|mais baixo|sim|define um temporizador de cinco minutos""",
    "it": """
        accendi la luce in cucina|che tempo fa oggi|buonanotte|alza il volume|ferma|che ore sono|buongiorno
        grazie mille|prossima canzone|che giorno è|quanto fa sei per sette|raccontami una barzelletta
        chi ha scritto la divina commedia|        abbassa le tapparelle
        aggiungi il latte alla lista|annulla la sveglia|svegliami alle sette|spegni la televisione
        metti un po' di musica|qual è la capitale della spagna|come stai|ripeti|silenzio|pioverà domani
        imposta un timer di dieci minuti|riscaldamento a venti gradi|quanto è alto il monte bianco|sì grazie""",
    "fr": """
        éteins la lumière du bureau|mets un minuteur de dix minutes|merci beaucoup|quelle heure est-il|bonjour
        bonne nuit|monte le son|arrête|chanson suivante|quel temps fait-il|quel jour sommes-nous
        combien font huit fois sept
        raconte une blague|qui a écrit les misérables|ferme les volets|ajoute du lait à la liste|annule le réveil
        réveille-moi à sept heures|allume la télé|mets de la musique douce|quelle est la capitale du portugal
        ça va|répète|silence|va-t-il pleuvoir demain|chauffage à vingt degrés|traduis chat en anglais""",
    "nl": """
        doe het licht uit|hoe laat is het|goedemorgen|welterusten|dank je wel|harder|volgende nummer
        wat voor weer wordt het|welke dag is het|hoeveel is zes keer acht|vertel een mop|wie schilderde de nachtwacht
        doe de gordijnen dicht|zet melk op de lijst|annuleer de wekker|maak me wakker om zeven uur|zet de tv aan
        speel rustige muziek|wat is de hoofdstad van zweden|hoe gaat het|herhaal dat|stilte|gaat het morgen regenen
        verwarming op twintig graden|zet een timer van tien minuten|vertaal hond naar het engels|ja graag""",
    "ca": """
        apaga el llum|quina hora és|bon dia|bona nit|gràcies|apuja el volum|para|cançó següent|quin temps fa
        quin dia és avui|quant fan set per vuit|explica un acudit|qui va escriure tirant lo blanc|abaixa les persianes
        afegeix llet a la llista|cancel·la l'alarma|desperta'm a les set|engega la tele|posa música tranquil·la
        quina és la capital de grècia|com estàs|repeteix|silenci|plourà demà|calefacció a vint graus|sí si us plau""",
}
PERSONAL_BY_LANGUAGE = {
    "en": """
        where did i leave my keys|what is my wifi password|when is my sister's birthday|what did i say about the party
        what was the name of the restaurant i liked|which doctor did i mention last week|what am i allergic to
        who is coming to dinner on sunday|where did anna move to|how old is my son|what's my favourite pizza
        did i tell you about the new job|what car do i drive|when did i start learning the piano
        what should i buy for my mother|who recommended that book to me|what is the name of my dog|where do i work
        how many kids does peter have|what did i have for lunch yesterday|when is the dentist appointment
        what medicine do i take in the morning|why was i angry with tom|what gift did i plan for laura
        which hotel did we stay at in rome|what time do i usually get up|do you remember my shoe size
        what color did i paint the bedroom|i had a terrible day at the office|my brother is visiting us in march
        we're thinking about adopting a cat|i finally finished that painting|guess what happened to nora
        i feel like cooking something italian tonight|i'm nervous about the interview|my knee hurts again
        what do you think about my plan to move|should i go running with ben again|suggest a present for my wife
        what could we watch tonight|any idea for my daughter's party|i can't decide which school to choose
        which bin goes out on tuesday|who fixes our boiler|what is the code for the gate
        how often do the plants need water
        what's the plumber's number|which filter does the vacuum cleaner take|at what heat do we wash the wool blanket
        when does the school bus leave|how much do we pay the cleaner|what was the reading of the gas meter
        who do i call when the heating fails|where does the spare fuse go|what time do i have to be at the airport
        which days is the bakery near us closed|what size of shoes do i take|how do we switch the alarm system off
        who has our second key|which tyres do we need for winter""",
    "de": """
        welche farbe hat mein auto|wann hat meine schwester geburtstag|wo habe ich den schlüssel hingelegt
        was habe ich über den urlaub erzählt|wogegen bin ich allergisch|wie heißt mein hausarzt
        wohin ist anna gezogen|was isst mein sohn am liebsten|ich hatte heute streit mit meinem chef
        meine mutter kommt am sonntag|was soll ich meiner frau schenken|wer hat mir das buch empfohlen
        wir überlegen einen hund zu nehmen|welches hotel hatten wir in wien|was nehme ich morgens für tabletten
        welche tonne kommt am dienstag raus|wer repariert unsere heizung|wie ist der code für das tor
        wie oft müssen die pflanzen gegossen werden|bei wie viel grad waschen wir die decke|wann fährt der schulbus
        welchen filter braucht der staubsauger|wer hat unseren zweitschlüssel|wann muss ich am flughafen sein
        wen rufe ich an wenn der strom ausfällt|an welchen tagen habe ich frei""",
    "es": """
        dónde dejé las llaves|cómo se llama mi perro|cuándo es el cumpleaños de mi hermana|qué te conté del viaje
        a qué soy alérgico|dónde trabaja mi marido|a quién invité a la cena|qué coche tengo|cuál es mi plato favorito
        hoy he discutido con mi jefe|mi madre viene el domingo|qué le regalo a mi mujer|quién me recomendó ese libro
        estamos pensando en mudarnos|qué pastillas tomo por la mañana
        qué cubo se saca el martes|quién arregla nuestra caldera|cuál es el código de la verja
        cada cuánto se riegan las plantas|a cuántos grados lavamos la manta|a qué hora sale el autobús del colegio
        qué filtro lleva la aspiradora|quién tiene nuestra segunda llave|a quién llamo si falla la luz|qué talla uso""",
    "pt": """
        onde é que eu trabalho|como se chama o meu cão|quando é o aniversário da minha irmã|o que te contei da viagem
        a que sou alérgico|quem convidei para o jantar|que carro tenho|qual é o meu prato preferido
        hoje discuti com o meu chefe|a minha mãe vem no domingo|o que ofereço à minha mulher
        quem me recomendou esse livro|estamos a pensar em mudar de casa|onde deixei as chaves
        que contentor sai na terça|quem arranja a nossa caldeira|qual é o código do portão
        de quanto em quanto tempo se regam as plantas|a quantos graus lavamos a manta
        a que horas sai o autocarro da escola
        que filtro leva o aspirador|quem tem a nossa segunda chave|a quem ligo se faltar a luz|que tamanho uso""",
    "it": """
        qual è la mia canzone preferita|come si chiama il mio cane|quando è il compleanno di mia sorella
        cosa ti ho raccontato del viaggio|a cosa sono allergico|chi ho invitato a cena|che macchina ho
        oggi ho litigato con il capo|mia madre viene domenica|cosa regalo a mia moglie|chi mi ha consigliato quel libro
        stiamo pensando di traslocare|dove ho messo le chiavi|quali pastiglie prendo la mattina
        quale bidone si mette fuori martedì|chi ripara la nostra caldaia|qual è il codice del cancello
        ogni quanto si annaffiano le piante|a quanti gradi laviamo la coperta|a che ora parte lo scuolabus
        che filtro vuole l'aspirapolvere|chi ha la nostra seconda chiave|chi chiamo se manca la luce
        che taglia porto""",
    "fr": """
        quel est le prénom de mon fils|comment s'appelle mon chien|quand est l'anniversaire de ma sœur
        qu'est-ce que je t'ai raconté du voyage|à quoi suis-je allergique|qui ai-je invité à dîner|quelle voiture j'ai
        je me suis disputé avec mon chef|ma mère vient dimanche|qu'est-ce que j'offre à ma femme
        qui m'a conseillé ce livre|on pense à déménager|où ai-je laissé mes clés|quels cachets je prends le matin
        quelle poubelle sort le mardi|qui répare notre chaudière|quel est le code du portail
        tous les combien on arrose les plantes|à combien de degrés on lave la couverture
        à quelle heure part le car scolaire
        quel filtre va dans l'aspirateur|qui a notre deuxième clé|qui j'appelle en cas de panne
        quelle taille je fais""",
    "nl": """
        hoe heet mijn kat|wanneer is mijn zus jarig|wat heb ik over de reis verteld|waar ben ik allergisch voor
        wie heb ik voor het eten uitgenodigd|welke auto heb ik|wat is mijn lievelingseten|ik had ruzie met mijn baas
        mijn moeder komt zondag|wat geef ik mijn vrouw|wie raadde me dat boek aan|we denken erover te verhuizen
        waar heb ik mijn sleutels gelaten|welke pillen neem ik 's ochtends
        welke bak moet dinsdag buiten|wie repareert onze ketel|wat is de code van het hek
        hoe vaak moeten de planten water|op hoeveel graden wassen we de deken|hoe laat vertrekt de schoolbus
        welk filter gaat in de stofzuiger|wie heeft onze tweede sleutel|wie bel ik bij een storing|welke maat heb ik""",
    "ca": """
        com es diu el meu gos|quan és l'aniversari de la meva germana|què et vaig explicar del viatge
        a què soc al·lèrgic|qui vaig convidar a sopar|quin cotxe tinc|quin és el meu plat preferit
        avui he discutit amb el cap|la mare ve diumenge|què regalo a la meva dona|qui em va recomanar aquell llibre
        estem pensant a mudar-nos|on he deixat les claus|quines pastilles prenc al matí
        quin contenidor surt dimarts|qui arregla la nostra caldera|quin és el codi de la tanca
        cada quant es reguen les plantes|a quants graus rentem la manta|a quina hora surt l'autobús de l'escola
        quin filtre porta l'aspiradora|qui té la nostra segona clau|a qui truco si se'n va la llum|quina talla faig""",
}


def _lines(by_language: dict[str, str]) -> tuple[tuple[str, str], ...]:
    lines = ((lang, line) for lang, block in by_language.items() for line in block.strip().splitlines())
    return tuple((lang, text.strip()) for lang, line in lines for text in line.split("|") if text.strip())


ORDERS = _lines(ORDERS_BY_LANGUAGE)
PERSONAL = _lines(PERSONAL_BY_LANGUAGE)
