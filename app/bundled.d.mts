/** The module to import instead of `source`: the bundle's, if there is one built from the current sources. */
export declare function bundled(source: string): string;
