// SPDX-License-Identifier: MIT

/** Labels of parts that repeat on the pages of a site, in the languages of most pages. */

/** Words before a link to another story, or above several. */
export const pointer =
  // bounded: the process that reads a page is ended after a fixed time
  /^\W*(?:more(?=\s*:)|(?:also )?(?:read|watch|listen)(?: (?:more|also|next|now|this))?|also see|see (?:more|also|next|now|this)|(?:must|can|should)(?: also)? read|read (?:more|also|next)\b.{0,20}|related(?: (?:stories|articles?|news|content|reading|reads|posts?))?|more (?:on|from|about) .{1,40}|(?:more|full|top) stor(?:y|ies)|more great .{2,30} stories|recommended(?: reading)?|you (?:may|might) (?:also )?(?:like|be interested in)|don['’]t miss|(?:lesen sie|mehr zum thema|auch interessant|lesetipp).{0,20}|(?:à )?lire aussi|voir aussi|sur le même sujet|(?:lea|lee|ver|mira|vea) (?:también|más|además)|(?:te|le) puede interesar|leggi anche|(?:leia|veja|saiba) (?:também|mais)|lees ook|(?:czytaj|zobacz|przeczytaj) (?:też|także|również|więcej)|читайте (?:также|еще|ещё)|читать (?:также|далее)|(?:ilgili|ayrıca) .{0,12}|関連記事|あわせて読みたい|相关阅读|延伸閱讀|관련기사|اقرأ أيضا.?|قد يهمك|läs (?:också|även|mer)|les også|læs også|lue myös|přečtěte si|čtěte také|olvasta már)\s*(?:[:：|>»–-]|\.{3}|…|$)/iu;

/** "[VIDEO]" after a linked headline. */
export const tagged = /^.{24,}\[\p{Lu}{4,}\][\s|]*$/u;

/** The label of other stories. */
export const announcement =
  /^(?:read next|up next|you (?:may|might) (?:also )?(?:like|enjoy)|recommended for you|more (?:in this category|like this)|related(?: (?:news|stories|articles?|posts?|content|questions?|coverage))?|.{0,30} news (?:e-?mails?|alerts?))\W*$/i;

/** Headings of sections that are not about the page: other stories, comments, letters. */
export const otherHeadings = [
  // bounded: the process that reads a page is ended after a fixed time
  /^(?:you (?:may|might) (?:also )?(?:like|enjoy|be interested in)|.{0,40}\balso (?:viewed|bought|liked|searched|like)|(?:your )?recently viewed.*|keep reading|read next|up next|what to read next|explore more|discover more(?: from .{1,40})?|more like this|don['’]t miss|related topics|trending(?: now)?|most (?:popular|read|viewed|shared)|in case you missed it)\W*$/i,
  /^(?:(?:our|the|see|read|explore|view|browse|get) )*(?:related|similar|recommended|more|other|latest|recent|featured|popular|trending|suggested)\b.{0,25}\b(?:articles?|posts?|stor(?:y|ies)|insights?|products?|items?|accessories|resources?|reading|reads|news|blogs?|videos?|guides?|pages?|content|topics?|links?|threads?|discussions?|searches|categories|courses|jobs|events|episodes|recipes|books|collections|publications)\b.{0,25}$/i,
  /^(?:more (?:from|in|on|about|by)\b|from (?:our|the) blog|latest from\b).{0,40}$/i,
  // bounded: the process that reads a page is ended after a fixed time
  /^(?:leave a (?:reply|comment)|(?:\d+ )?(?:comments?|responses|replies)(?: \(?\d+\)?)?|(?:add|post) a comment|join the (?:conversation|discussion)|about the authors?|share this.{0,20}|follow us.{0,20}|subscribe.{0,40}|sign up (?:for|to).{0,40}|this (?:story|article) is funded by.{0,40}|stay (?:up to date|in the loop|connected|updated|informed).{0,30}|.{0,30}(?:newsletter|news (?:e-?mails?|alerts?)))\W*$/i,
  // bounded: the process that reads a page is ended after a fixed time
  /^\W*(?:mehr zum thema|das könnte (?:sie|dich) (?:auch )?(?:noch )?interessieren|(?:ähnliche|verwandte|weitere|neueste|beliebte) (?:artikel|beiträge|themen|meldungen|nachrichten|produkte)|(?:à )?lire (?:aussi|également)|(?:sur le|dans le) même (?:sujet|thème)|(?:articles?|contenus?|sujets?|produits) (?:similaires|liés|associés|connexes|recommandés)|vous aimerez aussi|artículos relacionados|noticias relacionadas|(?:te|le) puede interesar|también te puede.{0,20}|(?:leia|veja) (?:também|mais)|você (?:também )?pode (?:também )?gostar|(?:artigos|notícias|matérias) relacionad[ao]s|leggi anche|articoli (?:correlati|simili)|potrebbe interessarti.{0,20}|lees ook|gerelateerde (?:artikelen|berichten)|(?:czytaj|zobacz) (?:też|także|również)|(?:podobne|powiązane) artykuły|читайте также|(?:похожие|другие|связанные) (?:статьи|новости|материалы|записи)|материалы по теме|関連(?:記事|リンク|ニュース|する記事)|おすすめ記事|あわせて読みたい|相[关關](?:文章|新[闻聞]|阅读|閱讀|推荐|推薦)|延伸閱讀|관련 ?(?:기사|글)|مواضيع ذات صلة|اقرأ أيضا|مقالات ذات صلة|کتبه‌های مرتبط|מאמרים קשורים|läs (?:också|även|mer)|relaterade artiklar|les også|læs også|související články|mohlo by vás zajímat|ilgili (?:haberler|yazılar|içerikler))\W*$/iu,
  /^\W*(?:\d+ )?(?:kommentare?|commentaires?|comentarios?|comentários?|commenti|reacties|komentarze|комментарии|kommentarer|kommentit|komentáře|yorumlar|コメント|评论|評論|留言|댓글|تعليقات|kommentar schreiben|laisser un commentaire|deja un comentario|deixe um comentário|lascia un commento)(?: ?[(（]?\d+[)）]?)?\W*$/iu,
];

/** A request with a link. */
export const request =
  /^\W*(?:(?:read|see|view|watch|get|check(?: out)?) (?:(?:the|our|my|full|entire|complete|whole) ){1,3}(?:review|story|article|post|report|series|guide|recipe|transcript|interview)s?\W*$|(?:please |to )?(?:click|tap) here to (?:subscribe|sign up|donate|join|follow|get our)\b.*|(?:subscribe|sign up|register)\b.*\b(?:newsletter|e-?mail|inbox|updates?|alerts?)|(?:get|receive)\b.*\b(?:inbox|newsletter|e-?mail(?:ed)?)\b|(?:follow|like|find) (?:us|me|him|her|them) on\b.*|follow @.*|(?:follow|like) .{1,60} on (?:facebook|twitter|instagram|x|linkedin|youtube|telegram|google)|join (?:our|the) (?:newsletter|telegram|whatsapp|facebook|mailing|discord|conversation).*|download (?:our|the) .{0,30}app\b|support (?:us|our|independent)\b.*|donate\b.*|(?:folgen sie uns|abonnieren sie|abonnez-vous|suivez-nous|suscríbete|síguenos|iscriviti|seguici|assine|siga-nos|подписывайтесь|подпишитесь)\b.*)/iu;

/** The label of a box, which may contain an image, or of a new story. */
export const advertisement =
  /^(?:advertisement|advert|sponsored(?: content)?|anzeige|werbung|publicité|publicidad|pubblicità|advertentie|реклама|広告|广告|廣告|annons|reklama|reklam|breaking(?: news)?)\W*$/i;

/** The label of a table of contents. */
export const contentsLabel =
  /^(?:table of contents?|contents:|on this page|in this (?:article|guide|post|page)|jump to (?:a )?section|inhaltsverzeichnis|sommaire|table des matières|índice|tabla de contenidos?|indice|inhoud(?:sopgave)?|spis treści|содержание|оглавление|目次|目[录錄])\W*$/iu;

/** A button by which a site asks for money or an address, and the sentences beside it. */
export const subscribes = {
  button:
    // bounded: the label of a button, of at most 40 characters
    /^\W*(?:(?:subscribe|sign up|donate|become a (?:free |paid )?(?:member|subscriber|supporter)|(?:start|get) your (?:free )?(?:trial|subscription)|upgrade to paid|join (?:free|now|today|us)|support (?:us|our work|my work)|abonnieren|jetzt abonnieren|s['’]abonner|abonnez-vous|suscr[íi]b(?:ete|irse)|iscriviti|assine|abonneren|prenumerera|購読(?:する)?|订阅|訂閱|구독(?:하기)?)(?: now| today| for free| free| here| to .{1,30}| jetzt| gratis)?)\W*$/iu,
  sentence:
    // bounded: a box of at most 1,000 characters
    /\b(?:subscri(?:b|pti)\w*|newsletters?|inbox|sign(?:ing)? up|reader-supported|members?(?:hip)?|donat\w+|paywall|free (?:articles?|posts?|letter|trial)|(?:support|fund) (?:us|our|my|this|independent)|unlimited (?:access|reading)|e-?mails?|abonn\w+|suscri\w+|iscri\w+|assin\w+|spenden|unterstütz\w+|gratuit\w*)\b|購読|订阅|訂閱|구독/iu,
};

/** The label of the points of an article. */
export const keyPointsLabel =
  // bounded: a line of at most 40 characters
  /^\W*(?:(?:the )?(?:key|main) (?:points|takeaways|facts|findings|insights|ideas)|takeaways|at a glance|(?:article |story |quick |executive )?summary|highlights|in (?:brief|short)|tl;?dr|the gist|what (?:to|you need to|you should|we) know|das wichtigste(?: in kürze)?|auf einen blick|in kürze|l['’]essentiel|en bref|lo esencial|las claves|claves|en resumen|in sintesi|em resumo|in het kort|kort gezegd|w skrócie|главное|коротко|要点|この記事の(?:要点|ポイント)|ポイント|核心要点|핵심 ?요약|أبرز النقاط)\W*$/iu;

/** The language of the code below. */
export const codeLanguage =
  /^(?:jsx?|tsx?|javascript|typescript|html|s?css|json|ya?ml|xml|bash|sh|shell|console|python|java|c|c\+\+|cpp|c#|csharp|go|rust|ruby|php|sql|kotlin|swift|(?:plain ?)?text|diff|toml|graphql|powershell|markdown)(?: ?copy)?$/i;

/** The first item of a list of tags. */
export const tagsLabel = /^(?:tags?|topics?|categor(?:y|ies)|filed under|posted in|keywords)\W*$/i;

/** A control, which boards also show in quotations. */
export const control =
  // bounded: the process that reads a page is ended after a fixed time
  /^(?:(?:press enter or )?click to (?:expand|shrink|enlarge|view image in full size)|(?:scroll|swipe) (?:for|to (?:see|view))(?: more)?|(?:show|hide) caption)\W*$/i;

/** Complete lines without a link. */
export const whole = [
  /^(?:(?:download|print|share|tweet|save|e-?mail|pdf|bookmark|listen|copy(?: link)?|facebook|twitter|whatsapp|linkedin|drucken|teilen|merken|speichern|herunterladen|anhören|imprimer|partager|enregistrer|imprimir|compartir|guardar|this|page|article|story|post|as|to|on|x)[\s&|/·,•+-]*){1,8}$/i,
  /^(?:and|by|(?:edited|reviewed|written) by|posted|updated|published|source|via|tags?|in|on|von|und)\s*[:|·•]?$/i,
  /^(?:first |last |originally )?(?:published|updated|posted|modified|edited|reviewed)(?: (?:on|at|by))? ?:? (?!for\b).{0,50}(?:\d{4}|\d[:/.]\d|\d (?:by |(?:days?|hours?|minutes?|weeks?|months?|years?) ago)).{0,30}$/i,
  /^(?:(?:© ?)?copyright (?:©|@|\d)|© ?\d|\(c\) ?(?:19|20)\d\d).{0,200}$|^.{0,60}\ball rights reserved\b.{0,80}$/i,
  /^(?:(?:advertisement|advert|ad|anzeige|werbung|publicité|publicidad)\W{1,5}(?:continue|scroll|story|article|weiter|seguir|lire la suite|suite)\b.{0,50})$/iu,
  /^(?:scroll to continue(?: with content)?|(?:article|story|reading) continues? (?:below|after|reading).{0,40}|continue reading below|loading\b.{0,20})\W*$/i,
  /^(?:.+ contributed (?:reporting\b|to this (?:report|story|article)\b).{0,60}|\(?(?:(?:additional )?reporting|writing|editing) by .+)$/i,
  /^(?:(?:read|learn|see|show|view|find out) more|view all|(?:view|see|show) (?:the |product |full )?details|(?:subscribe|sign up)(?: now| today| here)?|(?:previous|prev|next)(?: (?:page|post|article|chapter|lesson|section))?)\W*$/i,
  /^(?:add to (?:cart|bag|basket|compare|wish ?list|list|favou?rites)|quick view|shop now|continue shopping|sort(?: by)?:.{0,40}|(?:showing )?(?:all )?\(?(?:\d+ ?[–-] ?\d+ of )?[\d,]+ (?:products|items|results)\)?)$/i,
  /^(?:(?:tags?|topics?|more on|filed under|posted in|categor(?:y|ies)|keywords|schlagwörter|themen|mots-clés|etiquetas|temas): .{2,120}|(?:image|photo|slide|bild|foto|page|seite|página) \d+ (?:of|von|de) \d+)$/i,
  /^(?:was|is|did) this(?: \w+)? (?:helpful|useful|help(?: you)?)\b.{0,80}$/i,
  /^\D{0,60}\b\d+[ -]?min(?:ute)?s?\.? read(?:ing time)?$|^\d+ min read\W*\p{L}{3,9}\.? \d{1,2}, \d{4}$|^(?:(?:estimated )?reading time|lesezeit|temps de lecture|tiempo de lectura)\b.{0,30}$/iu,
  /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?$|^\{\{[^{}]*\}\}$|^\[[a-z_]+ [a-z]+=[^\]]*\].{0,80}$/,
  /^(?:(?:view|read|show|post|leave|add) )?(?:a |all )?(?:\d+ )?comments?(?: \(?[\d+]+\)?)?$|^(?:all )?comments (?:for .{1,40} )?(?:are|have been) (?:now )?(?:closed|disabled|turned off|moderated)\b.*$/i,
  // bounded: the process that reads a page is ended after a fixed time
  /^(?=.*\b(?:cookies?|privacy policy|user data|datenschutz\w*|confidentialité|privacidad)\b)(?=.*\b(?:agree|accept|consent|by (?:using|continuing)|we (?:use|log)|zustimm\w*|verwenden|utilis\w+|acepta\w*|utiliza\w*)\b)(?=.*\b(?:site|website|you|sie|vous|usted|sitio)\b).{20,320}$/iu,
  /^(?:sign up|subscribe|register) (?:for|to) (?:our|the) .{0,30}\bnewsletter\b.{0,60}$/i,
  /^by (?:signing up|subscribing|submitting|registering|entering your|clicking|providing your)\b.*\b(?:agree|accept|consent|acknowledge)\b/i,
  /^(?:[+×✕✖−.,·|\u2190-\u21ff\u25a0-\u25ff]|--?)$/,
  /^(?:like|enjoyed?) (?:this|what you).{0,30}\? ?(?:share|subscribe|follow|join|sign up|support)\b.*$/i,
  /^embed\W*<iframe\b[^>]*>.{0,20}$/i,
  // A disclosure of commissions.
  /^(?=.*\b(?:affiliate|commissions?|compensat\w+)\b)(?=.*\b(?:we|i|us|our|this)\b)(?=.*\b(?:links?|purchases?|buy|click)\b)(?=.*\b(?:may|might|can|could|will|contains?|earns?|receives?|supports?|get)\b).{20,320}$/i,
];
