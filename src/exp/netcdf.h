// src/exp/netcdf.h: results as NetCDF-4, for other programs: dimensions, units and attributes travel along.
#pragma once
#include "exp/provenance.h"
#include "orrery/kind.h"

// Rows of a run are variables over the dimension t. If rows begin with columns of a study (member, K, …), the
// first of these names a dimension of its own: K(member), x(member, t).
typedef struct NetCdf NetCdf;

// A file that is complete under its name when it is closed, and not there before. NULL after a message: the
// library libnetcdf is loaded now, and may be missing.
NetCdf  *netcdf_create(const char *path, const Provenance *provenance, orr_diag *diag);
void     netcdf_study(NetCdf *nc, size_t n_own);    // before rows begin: so many columns are of the study
orr_sink netcdf_sink(NetCdf *nc);
bool     netcdf_close(NetCdf *nc);    // false, reported, if something was not written

// A table: its columns are variables over the dimension that is called as the table.
bool netcdf_sheet(const orr_sheet *sheet, const char *path, const Provenance *provenance, orr_diag *diag);
