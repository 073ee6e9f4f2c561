/** A message of the engine as a sentence. Names of fields, files and the like keep their first letter. */
export function sentence(text: string): string {
  const isField = /^\S+ has no value /.test(text);
  const isWord = !isField && /^\p{Ll}+(?=[\s,:;]|$)/u.test(text);
  const begun = isWord ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
  return /[.?!…]$/.test(begun) ? begun : `${begun}.`;
}
