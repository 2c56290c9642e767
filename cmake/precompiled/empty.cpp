// Something to compile for the targets that only carry precompiled headers.
