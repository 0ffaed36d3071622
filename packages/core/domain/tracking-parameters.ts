// SPDX-License-Identifier: MIT

/**
 * Query parameters that only track, by their exact names: campaign parameters, click ids of advertising networks, and
 * recipient ids of newsletters. A name that selects content on any site must not be added: links would break.
 */
const trackingParameters = new Set(
  [
    "utm_source utm_medium utm_campaign utm_term utm_content utm_id utm_name utm_reader utm_referrer utm_pubreferrer",
    "utm_brand utm_cid utm_place utm_social utm_social-type utm_swu utm_userid utm_viz_id",
    "utm_source_platform utm_creative_format utm_marketing_tactic utm_campaignid utm_adgroupid utm_keyword utm_int",
    // Google, Microsoft, Meta, X, TikTok, LinkedIn, Pinterest, Snapchat, Reddit, Yandex
    "gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid _ga _gl msclkid fbclid",
    "fb_action_ids fb_action_types fb_source igshid igsh twclid ttclid li_fat_id epik ScCid rdt_cid",
    "yclid ysclid _openstat",
    // Mailchimp, HubSpot, Marketo, Vero, MailerLite, Omeda, Drip, Klaviyo, Dotdigital, Bluecore, Beehiiv
    "mc_cid mc_eid _hsenc _hsmi __hstc __hssc __hsfp hsCtaTracking mkt_tok vero_id vero_conv",
    "ml_subscriber ml_subscriber_hash oly_anon_id oly_enc_id __s _kx dm_i bsft_clkid bsft_uid bsft_eid bsft_mid _bhlid",
    // Attribution: Kenshoo, Adobe, Impact, Wicked Reports, Branch, Oath, Matomo
    "s_kwcid ef_id irclickid irgwc wickedid _branch_match_id _branch_referrer guce_referrer guce_referrer_sig",
    "mtm_campaign mtm_cid mtm_content mtm_group mtm_keyword mtm_medium mtm_placement mtm_source",
    "rb_clickid ss_email_id vgo_ee unicorn_click_id",
  ].flatMap((names) => names.split(" ")),
);

/**
 * A URL without the query parameters that only track; all its other characters stay as they are. The same text if it has
 * none.
 */
export function withoutTracking(url: string): string {
  const [address = "", ...fragment] = url.split("#");
  const start = address.indexOf("?");
  if (start < 0) return url;
  const parameters = address.slice(start + 1).split("&");
  const kept = parameters.filter((parameter) => !trackingParameters.has(parameter.split("=", 1)[0] ?? ""));
  if (kept.length === parameters.length) return url;
  const query = kept.length > 0 ? `?${kept.join("&")}` : "";
  return [address.slice(0, start) + query, ...fragment].join("#");
}
