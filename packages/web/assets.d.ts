/** The address of a stylesheet for the frame of an article, relative to the page (build.ts). */
declare module "*.frame.css" {
  const address: string;
  export default address;
}
