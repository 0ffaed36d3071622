/** Why a page could not be fetched: a clause that follows "url", in printable ASCII, without anything of the URL. */
export class FetchFailure extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "FetchFailure";
  }
}
