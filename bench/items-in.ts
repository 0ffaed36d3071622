/** The number of items in the body of a `get`. */
export const itemsIn = (body: string) => body.split('"item_id"').length - 1;
