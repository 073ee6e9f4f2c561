-- Which file a segment is (engine/store/segment-identity.ts), compared when it is attached; null: written before this.
ALTER TABLE segments ADD COLUMN identity TEXT;
