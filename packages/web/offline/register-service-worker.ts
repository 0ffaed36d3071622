/** Makes the page work without a connection. Browsers have no service workers on plain HTTP from another machine. */
export async function registerServiceWorker(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const name = "service-worker.js";
  const policy = window.trustedTypes?.createPolicy("service-worker", { createScriptURL: (_: string) => name });
  await navigator.serviceWorker.register(policy?.createScriptURL(name) ?? name);
}
